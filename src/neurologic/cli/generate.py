"""`neurologic generate`: write texts that obey formulas, from prompts or from lines of JSON."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neurologic.cli.arguments import (
    add_command_parser,
    add_constraint_options,
    add_glossary_options,
    add_model_options,
    add_prompt_options,
    add_reduce_option,
    add_search_options,
    constraint_of,
    glossary_of,
    load_model,
    settings_of,
)
from neurologic.cli.formats import FORMATS, OWN, read_input
from neurologic.cli.inputs import InputReader, PromptInput, require_prompts, results_of
from neurologic.cli.jsonl import (
    STANDARD,
    InputLine,
    OutputFile,
    count_lines,
    json_text,
    require_different_files,
    source_name,
    standard_encoding,
)
from neurologic.cli.messages import SATISFIED, UNMET, CommandError, say_warning
from neurologic.cli.picture import write_picture
from neurologic.cli.progress import progress
from neurologic.cli.result_writers import (
    JsonDocumentWriter,
    JsonLinesWriter,
    ResultWriter,
    ScreenWriter,
    Tally,
)
from neurologic.decoders.registry import decoder_named
from neurologic.generation.result import Result
from neurologic.integrations.glossary import Glossary
from neurologic.logic import Formula, require_consistent, to_clauses
from neurologic.picture import PictureBuilder

if TYPE_CHECKING:
    from neurologic.search.trace import Trace


# Look at this many inputs for one that runs; if there is none among them, load the model all the same.
_FIRST_INPUTS = 1000


@dataclass(frozen=True)
class TextOptions:
    """The options of the command line that hold for every text."""

    settings: dict[str, Any]
    formula: Formula | None
    glossary: Glossary | None


def add_command(commands: Any) -> None:
    parser = add_command_parser(commands, "generate")
    add_prompt_options(parser)
    parser.add_argument(
        "--format", choices=FORMATS, default=OWN, help=f"the format of the lines of -i (default: {OWN})"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help='write lines of JSON here; "-" for stdout')
    parser.add_argument("--json", action="store_true", help="print one JSON document to stdout")
    add_text_options(parser)
    add_model_options(parser)
    add_search_options(parser)
    parser.set_defaults(run=run)


def add_text_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that write texts, except model and search options."""
    add_reduce_option(parser)
    parser.add_argument("--trace", metavar="FILE", help="record every step of the search as lines of JSON")
    parser.add_argument("--picture", metavar="FILE", help="draw the search, into an HTML file")
    add_constraint_options(parser)
    add_glossary_options(parser)


def run(arguments: argparse.Namespace) -> int:
    options = read_text_options(arguments)
    if arguments.input is None:
        return write_texts(arguments, options, None, len(arguments.prompts), JsonLinesWriter)
    total = count_lines(arguments.input, blank=arguments.format != OWN)
    return write_texts(arguments, options, read_input(arguments), total, JsonLinesWriter)


def read_text_options(arguments: argparse.Namespace) -> TextOptions:
    """Read the options, and run every check that needs neither input nor model."""
    settings = settings_of(arguments)
    _require_usage(arguments)
    formula = constraint_of(arguments)
    if formula is not None:
        require_consistent(to_clauses(formula))  # it holds for every prompt: no need to load a model first
    return TextOptions(settings, formula, glossary_of(arguments))


def write_texts(
    arguments: argparse.Namespace,
    options: TextOptions,
    lines: Iterable[InputLine] | None,
    total: int | None,
    to_file: Callable[[OutputFile], ResultWriter],
) -> int:
    """Write the texts of the lines, or of the prompts if `lines` is None, and return the exit code.

    total    how many there are, None if nobody knows yet
    to_file  makes the writer for a file, or for standard output in place of one
    """
    inputs = _inputs(arguments, options, lines)
    first = _up_to_one_that_runs(inputs)
    if not first:
        say_warning(f"{source_name(arguments.input)} has no lines")
    with contextlib.ExitStack() as files:
        writer = _writer(arguments, to_file, files)
        drawn = None if arguments.picture is None else PictureBuilder()
        trace = _trace(arguments, files, drawn)
        # Nothing can run if every input has an error: no need to load a model.
        runs = len(first) == _FIRST_INPUTS or any(given.error is None for given in first)
        lm = load_model(arguments) if runs else None
        results = results_of(
            lm,
            itertools.chain(first, inputs),
            decoder=arguments.decoder,
            reduce=arguments.reduce,
            batch_size=arguments.batch_size,
            trace=trace,
            **options.settings,
        )
        writer.begin()
        tally = _write(results, writer, total, arguments)
        if drawn is not None:
            write_picture(drawn.picture(), arguments.picture)
    if arguments.glossary is not None and tally.done and not tally.terms:
        say_warning(f"no term of {arguments.glossary} occurs in the input")
    _summarise(tally, arguments)
    return SATISFIED if tally.satisfied == tally.done else UNMET


def _require_usage(arguments: argparse.Namespace) -> None:
    if bool(arguments.prompts) == (arguments.input is not None):
        wanted = (
            "a prompt or -i FILE, not both" if arguments.prompts else "a prompt, or -i FILE for lines of JSON"
        )
        raise CommandError(f"give {wanted}")
    if arguments.format != OWN and arguments.input is None:
        raise CommandError(f"--format {arguments.format} says how to read a file; give it with -i FILE")
    require_prompts(arguments)
    if arguments.json and arguments.output == STANDARD:
        raise CommandError('"-o -" and --json both go to standard output; choose one')
    for option in ("trace", "picture"):
        path = getattr(arguments, option)
        if path is not None and decoder_named(arguments.decoder).edits:
            raise CommandError(
                f"--{option} has no effect on the decoder {arguments.decoder}, which edits sentences"
            )
        if path == STANDARD:
            raise CommandError(f"--{option} needs a file; standard output is for results")
    paths = {
        "-i": arguments.input,
        "-o": arguments.output,
        "--glossary": arguments.glossary,
        "--trace": arguments.trace,
        "--picture": arguments.picture,
    }
    require_different_files(paths)


def _inputs(
    arguments: argparse.Namespace, options: TextOptions, lines: Iterable[InputLine] | None
) -> Iterator[PromptInput]:
    reader = InputReader(options.formula, arguments.raw, arguments.system, options.glossary)
    return reader.prompts(arguments.prompts) if lines is None else reader.lines(lines)


def _up_to_one_that_runs(inputs: Iterator[PromptInput]) -> list[PromptInput]:
    """Take inputs until one has no error, but not so many that they fill the memory."""
    first: list[PromptInput] = []
    for given in itertools.islice(inputs, _FIRST_INPUTS):
        first.append(given)
        if given.error is None:
            break
    return first


def _writer(
    arguments: argparse.Namespace,
    to_file: Callable[[OutputFile], ResultWriter],
    files: contextlib.ExitStack,
) -> ResultWriter:
    if arguments.output is not None:
        return to_file(files.enter_context(OutputFile(arguments.output)))
    if arguments.json:
        return JsonDocumentWriter(is_list=arguments.input is not None or len(arguments.prompts) > 1)
    if arguments.input is not None:
        return to_file(OutputFile(STANDARD))
    return ScreenWriter(several=len(arguments.prompts) > 1)


def _trace(
    arguments: argparse.Namespace, files: contextlib.ExitStack, drawn: PictureBuilder | None
) -> Trace | None:
    """Return a trace that writes its records to the file of --trace and hands them to the picture."""
    takers: list[Callable[[dict[str, Any]], object]] = []
    if arguments.trace is not None:
        file = files.enter_context(OutputFile(arguments.trace))
        file.begin()
        takers.append(file.write_line)
    if drawn is not None:
        takers.append(drawn.add)
    if not takers:
        return None
    from neurologic.search.trace import Trace

    def write(record: dict[str, Any]) -> None:
        for take in takers:
            take(record)

    return Trace(write)


def _write(
    results: Iterator[tuple[PromptInput, Result]],
    writer: ResultWriter,
    total: int | None,
    arguments: argparse.Namespace,
) -> Tally:
    """Write results as they come; an interrupt closes the output properly and says how far it got."""
    tally = Tally()
    single_prompt = arguments.input is None and total == 1
    try:
        to_screen = arguments.output in (None, STANDARD) and sys.stdout.isatty()
        with progress("generating", 0 if to_screen else total) as advance:
            for given, result in results:
                if single_prompt and result.error is not None:
                    raise result.error  # there is no other prompt to continue with
                for message in result.warnings:
                    say_warning(f"{given.name}: {message}" if given.name else message)
                writer.add(given, result)
                tally.add(given, result)
                advance()
    except KeyboardInterrupt:
        of_all = "" if total is None else f" of {total}"
        raise KeyboardInterrupt(f"interrupted after {tally.done}{of_all}") from None
    finally:
        writer.end()
    return tally


def _summarise(tally: Tally, arguments: argparse.Namespace) -> None:
    if arguments.output not in (None, STANDARD) and arguments.json:
        print(json_text({**tally.to_json(), "output": arguments.output}, encoding=standard_encoding()))
    elif arguments.input is not None:
        print(tally, file=sys.stderr)
