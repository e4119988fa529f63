"""`neurologic generate`: write texts that obey formulas, from prompts or from rows of files.

Texts that go to a file can be continued by another process: see `neurologic.batches.resumable_output`.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import neurologic
from neurologic.batches.inputs import InputReader, PromptInput, prompt_lines, results_of
from neurologic.batches.lines import InputLine, json_text
from neurologic.batches.model_identity import model_name
from neurologic.batches.resumable_output import PlannedRow, ResumableOutput, ResumableParquet
from neurologic.batches.run_manifest import effective_settings
from neurologic.batches.sources import PARQUET, STANDARD, Sources
from neurologic.cli.arguments import (
    RAY,
    add_command_parser,
    add_constraint_options,
    add_glossary_options,
    add_model_options,
    add_prompt_options,
    add_reduce_option,
    add_resume_options,
    add_search_options,
    constraint_of,
    glossary_of,
    load_model,
    model_options,
    require_prompts,
    settings_of,
)
from neurologic.cli.formats import FORMATS, OWN, read_input
from neurologic.cli.jsonl import OutputFile, doubted, is_special, require_different_files, standard_encoding
from neurologic.cli.messages import SATISFIED, UNMET, CommandError, say_warning
from neurologic.cli.picture import write_picture
from neurologic.cli.progress import row_progress
from neurologic.cli.ray_engine import add_ray_options, require_ray_usage, run_on_ray
from neurologic.cli.result_writers import (
    JsonDocumentWriter,
    LineForm,
    LinesWriter,
    ResultWriter,
    ResumableWriter,
    ScreenWriter,
    Tally,
    json_row,
    say_troubles,
)
from neurologic.cli.text_options import TextOptions
from neurologic.decoders.registry import decoder_named
from neurologic.generation.result import Result
from neurologic.logic import require_consistent, to_clauses
from neurologic.picture import PictureBuilder

if TYPE_CHECKING:
    from neurologic.search.trace import Trace


# Look at this many inputs for one that runs; if there is none among them, load the model all the same.
_FIRST_INPUTS = 1000


@dataclass(frozen=True)
class Rows:
    """The rows to write texts for.

    read        reads all of them from the first one
    total       how many there are, None if nobody knows
    read_again  whether `read` works more than once
    name        where they come from, in messages
    tables      the Parquet files that all of them come from, if they do
    """

    read: Callable[[], Iterator[InputLine]]
    total: int | None
    read_again: bool
    name: str
    tables: tuple[str, ...] = ()

    @classmethod
    def of_prompts(cls, prompts: list[str]) -> Rows:
        return cls(lambda: prompt_lines(prompts), len(prompts), True, "the command line")

    @classmethod
    def of_files(cls, sources: Sources, read: Callable[[], Iterator[InputLine]], *, blank: bool) -> Rows:
        """Return the rows of files; `blank` says whether blank lines count."""
        tables = sources.paths if sources.all_parquet else ()
        return cls(read, sources.count(blank=blank), sources.read_again, sources.name, tables)


@dataclass(frozen=True)
class LineOutput:
    """How texts become lines.

    form     makes the line of a result
    report   a second file, with the results as JSON
    warns    whether standard error names the texts that need a look
    """

    form: LineForm = json_row
    report: str | None = None
    warns: bool = False


def add_command(commands: Any) -> None:
    parser = add_command_parser(commands, "generate")
    add_prompt_options(parser, several_files=True)
    parser.add_argument(
        "--format", choices=FORMATS, default=OWN, help=f"the format of the lines of -i (default: {OWN})"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help='write lines of JSON here, or Parquet; "-" for stdout'
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document to stdout")
    add_resume_options(parser)
    add_text_options(parser)
    add_model_options(parser, on_ray=True)
    add_ray_options(parser)
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
    require_ray_usage(arguments)
    options = read_text_options(arguments)
    if arguments.engine == RAY:
        return run_on_ray(arguments, options, manifest_of(arguments, options, has_report=False))
    if arguments.input is None:
        return write_texts(arguments, options, Rows.of_prompts(arguments.prompts), LineOutput())
    sources = Sources.named(arguments.input)
    rows = Rows.of_files(sources, lambda: read_input(arguments), blank=arguments.format != OWN)
    return write_texts(arguments, options, rows, LineOutput())


def read_text_options(arguments: argparse.Namespace) -> TextOptions:
    """Read the options, and run every check that needs neither input nor model."""
    settings = settings_of(arguments)
    _require_usage(arguments)
    formula = constraint_of(arguments)
    if formula is not None:
        require_consistent(to_clauses(formula))  # it holds for every prompt: no need to load a model first
    return TextOptions(settings, formula, glossary_of(arguments))


def write_texts(arguments: argparse.Namespace, options: TextOptions, rows: Rows, lines: LineOutput) -> int:
    """Write the texts of rows, and return the exit code."""
    with contextlib.ExitStack() as files:
        output = _resumable(arguments, options, lines, rows.tables, files)
        planned = _planned(output, rows, arguments)
        inputs = _inputs(arguments, options, planned)
        first = _up_to_one_that_runs(inputs)
        tally = Tally(None if output is None else output.counts)
        if not first and not tally.done:
            say_warning(f"{rows.name} has no lines")
        if output is None:
            writer = _plain_writer(arguments, lines, files)
        else:
            writer = ResumableWriter(output, lines.form, has_report=lines.report is not None)
        drawn = None if arguments.picture is None else PictureBuilder()
        trace = _trace(arguments, files, drawn, resumes=tally.done > 0)
        # Nothing can run if every input has an error: no need to load a model.
        runs = len(first) == _FIRST_INPUTS or any(given.runs for given in first)
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
        tally.start()
        _write(results, writer, tally, rows.total, arguments, warns=lines.warns)
        writer.finish()
        if drawn is not None:
            write_picture(drawn.picture(), arguments.picture)
    if arguments.glossary is not None and tally.done and not tally.terms and not tally.resumed:
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
    for option in ("fresh", "retry_errors"):
        if getattr(arguments, option) and arguments.output in (None, STANDARD):
            raise CommandError(f"--{option.replace('_', '-')} is about what a file holds; give -o FILE")
    if arguments.fresh and arguments.retry_errors:
        raise CommandError("--fresh gives up all rows and --retry-errors keeps some; choose one")
    paths = {
        "-i": None
        if arguments.input is None or arguments.engine == RAY
        else Sources.named(arguments.input).paths,
        "-o": arguments.output,
        "--glossary": arguments.glossary,
        "--trace": arguments.trace,
        "--picture": arguments.picture,
    }
    require_different_files(paths)


# -- the output -----------------------------------------------------------------------------------


def _resumable(
    arguments: argparse.Namespace,
    options: TextOptions,
    lines: LineOutput,
    tables: tuple[str, ...],
    files: contextlib.ExitStack,
) -> ResumableOutput | None:
    """Return the output that can be continued; None for standard output, devices and pipes."""
    if arguments.output in (None, STANDARD) or is_special(arguments.output):
        return None
    path, manifest = (
        Path(arguments.output),
        manifest_of(arguments, options, has_report=lines.report is not None),
    )
    beside = None if lines.report is None else Path(lines.report)
    if path.suffix == PARQUET:
        output: ResumableOutput = ResumableParquet(
            path, manifest, fresh=arguments.fresh, beside=beside, given=tables
        )
    else:
        output = ResumableOutput(path, manifest, fresh=arguments.fresh, beside=beside)
    return files.enter_context(output)


def manifest_of(arguments: argparse.Namespace, options: TextOptions, *, has_report: bool) -> dict[str, Any]:
    """Return everything that decides the texts but the rows themselves, as plain JSON values."""
    loading = model_options(arguments)
    foreign = {name: getattr(arguments, name) for name in ("match", "case") if arguments.format != OWN}
    glossary = None if arguments.glossary is None else model_name(arguments.glossary)
    described = {
        "command": arguments.command,
        "model": model_name(arguments.model),
        **{name: loading.get(name) for name in ("engine", "dtype")},
        "decoder": arguments.decoder,
        "settings": effective_settings(arguments.decoder, options.settings),
        "reduce": arguments.reduce,
        "raw": arguments.raw,
        "strict": arguments.strict or None,
        "system": arguments.system,
        "formula": None if options.formula is None else str(options.formula),
        "glossary": glossary,
        "inflect": arguments.inflect,
        "format": arguments.format,
        **foreign,
        "report": has_report,
        "version": neurologic.__version__,
    }
    return dict(
        json.loads(json.dumps({name: value for name, value in described.items() if value is not None}))
    )


def _plain_writer(
    arguments: argparse.Namespace, lines: LineOutput, files: contextlib.ExitStack
) -> ResultWriter:
    report = None if lines.report is None else files.enter_context(OutputFile(lines.report))
    if arguments.output is not None:
        return LinesWriter(files.enter_context(OutputFile(arguments.output)), lines.form, report)
    if arguments.json:
        return JsonDocumentWriter(is_list=arguments.input is not None or len(arguments.prompts) > 1)
    if arguments.input is not None:
        return LinesWriter(OutputFile(STANDARD), lines.form, report)
    return ScreenWriter(several=len(arguments.prompts) > 1)


def _trace(
    arguments: argparse.Namespace,
    files: contextlib.ExitStack,
    drawn: PictureBuilder | None,
    *,
    resumes: bool,
) -> Trace | None:
    """Return a trace that writes its records to the file of --trace and hands them to the picture."""
    takers: list[Callable[[dict[str, Any]], object]] = []
    if arguments.trace is not None:
        file = files.enter_context(OutputFile(arguments.trace))
        file.begin(keep=resumes)
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


# -- the inputs -----------------------------------------------------------------------------------


def _planned(
    output: ResumableOutput | None, rows: Rows, arguments: argparse.Namespace
) -> Iterator[PlannedRow]:
    if output is None:
        return ((row, None) for row in rows.read())
    return output.plan(rows.read, read_again=rows.read_again, retry_errors=arguments.retry_errors)


def _inputs(
    arguments: argparse.Namespace, options: TextOptions, planned: Iterator[PlannedRow]
) -> Iterator[PromptInput]:
    reader = InputReader(options.formula, arguments.raw, arguments.system, options.glossary, arguments.strict)
    for line, kept in planned:
        if kept is None:
            yield reader.line(doubted(line, strict=arguments.strict))
        else:
            yield PromptInput(line.place, line.name, line.fields, line=line, kept=kept)


def _up_to_one_that_runs(inputs: Iterator[PromptInput]) -> list[PromptInput]:
    """Take inputs until one needs the model, but not so many that they fill the memory."""
    first: list[PromptInput] = []
    for given in itertools.islice(inputs, _FIRST_INPUTS):
        first.append(given)
        if given.runs:
            break
    return first


# -- results --------------------------------------------------------------------------------------


def _write(
    results: Iterator[tuple[PromptInput, Result]],
    writer: ResultWriter,
    tally: Tally,
    total: int | None,
    arguments: argparse.Namespace,
    *,
    warns: bool,
) -> None:
    """Write results as they come; an interrupt closes the output properly and says how far it got."""
    single_prompt = arguments.input is None and total == 1
    try:
        to_screen = arguments.output in (None, STANDARD) and sys.stdout.isatty()
        with row_progress(0 if to_screen else total, tally.done) as show:
            for given, result in results:
                if single_prompt and result.error is not None:
                    raise result.error  # there is no other prompt to continue with
                for message in result.warnings:
                    say_warning(f"{given.name}: {message}" if given.name else message)
                writer.add(given, result)
                tally.add(given, result)
                if warns and given.kept is None:
                    say_troubles(given, result)
                show(tally.done, tally.resumed, tally.progress, total)
    except KeyboardInterrupt:
        of_all = "" if total is None else f" of {total}"
        raise KeyboardInterrupt(f"interrupted after {tally.done}{of_all}") from None
    finally:
        writer.end()


def _summarise(tally: Tally, arguments: argparse.Namespace) -> None:
    if arguments.output not in (None, STANDARD) and arguments.json:
        print(json_text({**tally.to_json(), "output": arguments.output}, encoding=standard_encoding()))
    elif arguments.input is not None:
        print(tally, file=sys.stderr)
