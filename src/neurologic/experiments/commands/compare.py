"""`neurologic compare`: several decoders on the same inputs, one table."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import neurologic
from neurologic.cli.arguments import (
    Formatter,
    add_constraint_options,
    add_message_options,
    add_model_options,
    add_search_options,
    conjunction,
    constraint_of,
    examples,
    given_settings,
    load_model,
    positive_int,
)
from neurologic.cli.batches import Runner
from neurologic.cli.inputs import PromptInput, inputs_of_lines, inputs_of_prompts, is_text
from neurologic.cli.jsonl import (
    STANDARD,
    OutputFile,
    json_text,
    read_lines,
    require_different_files,
    source_name,
    standard_encoding,
)
from neurologic.cli.messages import SATISFIED, UNMET, CommandError, say_warning
from neurologic.cli.progress import progress
from neurologic.decoders.registry import DECODERS, decoder_named
from neurologic.errors import ExpressivityError, NeurologicError
from neurologic.experiments.commands.rounds import Tried, rounds
from neurologic.experiments.comparison import Comparison, Input, page_of
from neurologic.experiments.comparison.columns import COLUMNS
from neurologic.experiments.tasks import TASKS, Item
from neurologic.experiments.tasks.base import Options, options_of
from neurologic.logic import Clause, Formula, require_consistent, to_clauses

_EXAMPLES = """
  neurologic compare --decoders neurologic,beam,cbs -i in.jsonl --reduce --html page.html
  neurologic compare --task commongen --data DIR --split dev --limit 50 --reduce
  neurologic compare "Write one sentence about the park." --include dog --decoders neurologic,gbs,dba
  neurologic compare -i in.jsonl --decoders gbs,cbs --num-beams 4 --rows 20 --json
"""

_DESCRIPTION = f"""
Run several decoders on the same inputs and print one table. Inputs are prompts, lines of JSON as for
generate, or a sample of a task. Each decoder gets those of the settings that it heeds. A formula that a
decoder cannot express is refused, unless --reduce; texts are judged by the whole formula in any case.

columns:
{chr(10).join(f"  {column.heading:11} {column.meaning}" for column in COLUMNS)}

Exit code 0: every decoder wrote a text for every input (satisfied or not), 1: some input failed or was
refused, 2: bad usage or bad input.
"""

_ALL = "all"


def add_command(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="several decoders on the same inputs, one table",
        usage="neurologic compare [PROMPT ...] [-i FILE | --task TASK] [--decoders NAMES] [options]",
        description=_DESCRIPTION.strip("\n"),
        epilog=examples(_EXAMPLES),
        formatter_class=Formatter,
        allow_abbrev=False,
    )
    parser.add_argument("prompts", metavar="PROMPT", nargs="*", default=[], help="what the model is asked")
    parser.add_argument(
        "--decoders",
        default=_ALL,
        metavar="NAMES",
        help=f"separated by commas, of {', '.join(DECODERS)} (default: {_ALL})",
    )
    parser.add_argument(
        "--reduce",
        action="store_true",
        help="search with what a decoder can express of a formula, instead of refusing it",
    )
    _add_input_options(parser)
    _add_output_options(parser)
    add_message_options(parser)
    add_constraint_options(parser)
    add_model_options(parser)
    add_search_options(parser, several=True)
    parser.set_defaults(run=run)


def _add_input_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("inputs")
    group.add_argument(
        "-i", "--input", metavar="FILE", help='lines of JSON instead of prompts; "-" for stdin'
    )
    group.add_argument("--task", choices=sorted(TASKS), help="inputs of a task, with its own settings")
    group.add_argument("--data", metavar="DIR", help="the folder with the task's data")
    group.add_argument("--split", metavar="NAME", help="the part of the task's data (default: dev)")
    group.add_argument("--limit", type=positive_int, metavar="N", help="only the first N inputs")
    group.add_argument("--raw", action="store_true", help="send prompts as they are, without a chat template")
    group.add_argument("--system", metavar="TEXT", help="a system message in front of every conversation")


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print one JSON document instead of the table")
    group.add_argument(
        "--html", metavar="FILE", help="write a page with the table and all texts side by side"
    )
    group.add_argument(
        "-o", "--output", metavar="FILE", help="write texts as lines of JSON, one per input and decoder"
    )


def run(arguments: argparse.Namespace) -> int:
    _require_usage(arguments)
    decoders = decoders_named(arguments.decoders)
    given = given_settings(arguments)
    heeded = heeded_by_each(decoders, given, arguments.task)
    formula = constraint_of(arguments)
    if formula is not None:
        require_consistent(to_clauses(formula))  # it goes to every input: no need to load a model first
    tasks = _tasks(arguments, formula)
    comparison = Comparison([_input(task) for task in tasks], decoders, _settings(arguments, given, heeded))
    with contextlib.ExitStack() as files:
        page, lines = (
            None if path is None else files.enter_context(OutputFile(path))
            for path in (arguments.html, arguments.output)
        )
        lm = load_model(arguments)
        runners = [
            Runner(lm, arguments.batch_size, name, settings, reduce=arguments.reduce)
            for name, settings in heeded.items()
        ]
        try:
            _run(tasks, runners, comparison, lines)
        finally:  # what was done is shown also when the rest was interrupted
            _show(comparison, page, as_json=arguments.json)
    return SATISFIED if comparison.complete else UNMET


# -- what was asked -------------------------------------------------------------------------------


def _require_usage(arguments: argparse.Namespace) -> None:
    sources = [bool(arguments.prompts), arguments.input is not None, arguments.task is not None]
    if sum(sources) != 1:
        raise CommandError("give a prompt, -i FILE or --task TASK" + (", only one" if any(sources) else ""))
    if arguments.task is None and (arguments.data is not None or arguments.split is not None):
        raise CommandError("--data and --split are for --task")
    if arguments.task is not None and arguments.data is None:
        raise CommandError(f"--task {arguments.task} needs --data, the folder with its data")
    if arguments.task is not None and (arguments.raw or arguments.system is not None):
        raise CommandError("--task brings its own conversations, so it takes neither --raw nor --system")
    if arguments.raw and arguments.system is not None:
        raise CommandError("--raw sends the prompt alone, so it takes no --system")
    if not all(map(is_text, arguments.prompts)):
        raise CommandError("a prompt is not text in this terminal's encoding")
    if STANDARD in (arguments.output, arguments.html):
        raise CommandError("-o and --html need a file; standard output is for the table, or for --json")
    require_different_files({"-i": arguments.input, "-o": arguments.output, "--html": arguments.html})


def decoders_named(names: str) -> list[str]:
    """The decoders of `--decoders`, each once."""
    if names == _ALL:
        return list(DECODERS)
    chosen = list(dict.fromkeys(name for part in names.split(",") if (name := part.strip())))
    if not chosen:
        raise CommandError(f"--decoders needs names, of {', '.join(DECODERS)}, or {_ALL}")
    try:
        return [decoder_named(name).name for name in chosen]
    except ValueError as error:
        raise CommandError(str(error)) from error


def heeded_by_each(
    decoders: Sequence[str], given: Mapping[str, Any], task: str | None, chosen: Options | None = None
) -> dict[str, dict[str, Any]]:
    """The settings of each decoder: what is given, else those of the task with its options.

    A given one that none of them would heed is refused.
    """
    heeded = {}
    for name in decoders:
        method = decoder_named(name)
        usual = {} if task is None else TASKS[task].settings(chosen or options_of(TASKS[task], {}), name)
        heeded[name] = method.accepted({**usual, **given})
        try:
            method.settings(heeded[name])
        except ValueError as error:
            raise CommandError(str(error)) from error
    for setting in given:
        if not any(setting in settings for settings in heeded.values()):
            heeding = [name for name, method in DECODERS.items() if setting in method.accepts]
            raise CommandError(
                f"{setting} has no effect on the decoders {', '.join(decoders)}; "
                f"it is for {', '.join(heeding)}"
            )
    return heeded


def _settings(
    arguments: argparse.Namespace, given: Mapping[str, Any], heeded: Mapping[str, Any]
) -> dict[str, Any]:
    """What a reader needs in order to repeat the comparison."""
    task = {"task": arguments.task, "split": arguments.split or "dev"} if arguments.task else {}
    return {
        "version": neurologic.__version__,
        "model": arguments.model,
        **task,
        "reduce": arguments.reduce,
        "batch_size": arguments.batch_size,
        "given": dict(given),
        "heeded": dict(heeded),
    }


# -- inputs ---------------------------------------------------------------------------------------


def _tasks(arguments: argparse.Namespace, formula: Formula | None) -> list[PromptInput]:
    if arguments.task is not None:
        task = TASKS[arguments.task]
        items = task.items(arguments.data, arguments.split or "dev", options_of(task, {}))
        tasks = [_task_of_item(index, item, formula) for index, item in enumerate(items)]
    elif arguments.input is not None:
        tasks = inputs_of_lines(read_lines(arguments.input), formula, arguments.raw, arguments.system)
    else:
        tasks = inputs_of_prompts(arguments.prompts, formula, arguments.raw, arguments.system)
    tasks = tasks[: arguments.limit]
    if not tasks:
        raise CommandError(f"{source_name(arguments.input or arguments.data)} has no inputs")
    errors = [f"{task.name}: {task.error}" for task in tasks if task.error is not None]
    if len(errors) == len(tasks):
        raise CommandError(f"no input can be used; {errors[0]}")
    return tasks


def _task_of_item(index: int, item: Item, formula: Formula | None) -> PromptInput:
    fields = {"id": item.id, "title": item.title, **item.fields}
    if item.formula is not None:
        fields["formula"] = str(item.formula)
    return PromptInput(index, item.id, fields, item.prompt, conjunction([item.formula, formula]), item.raw)


def _input(task: PromptInput) -> Input:
    return Input(_title(task), _clauses(task), task.fields)


def _title(task: PromptInput) -> str:
    if "title" in task.fields and not isinstance(task.prompt, str):
        return str(task.fields["title"])
    if isinstance(task.prompt, str):
        return task.prompt or task.name
    return str(task.prompt[-1].get("content", "")) if task.prompt else task.name


def _clauses(task: PromptInput) -> tuple[Clause, ...]:
    try:
        return () if task.formula is None else tuple(to_clauses(task.formula))
    except NeurologicError:  # the decoders will say the same
        return ()


# -- the run --------------------------------------------------------------------------------------


def _run(
    tasks: Sequence[PromptInput], runners: Sequence[Runner], comparison: Comparison, lines: OutputFile | None
) -> None:
    """Try every decoder on every task, and write texts as they come."""
    if lines is not None:
        lines.begin()
    clauses = {task.index: one.clauses for task, one in zip(tasks, comparison.inputs, strict=True)}
    done, total = 0, len(tasks) * len(runners)
    said: set[object] = set()
    try:
        with progress("comparing", total) as advance:
            for decoder, several in rounds(tasks, clauses, runners):
                for one in several:
                    _record(decoder, one, comparison, lines)
                    _say_error(decoder, one, said)
                    done += 1
                    advance()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted after {done} of {total} texts") from None


def _record(decoder: str, one: Tried, comparison: Comparison, lines: OutputFile | None) -> None:
    outcome, attempt = one
    comparison.add(decoder, outcome.task.index, attempt)
    if lines is not None:
        fields = {**outcome.to_json(), **attempt.cost_to_json()}
        # First on the line, and not that of an input line with a field of this name.
        lines.write_line({"decoder": decoder, **fields} | {"decoder": decoder})


def _say_error(decoder: str, one: Tried, said: set[object]) -> None:
    """Every error once: a refusal per decoder, anything else per input."""
    outcome, _ = one
    if not isinstance(outcome.result, NeurologicError):
        return
    refused = isinstance(outcome.result, ExpressivityError)
    key = decoder if refused else (outcome.task.index, str(outcome.result))
    if key not in said:
        said.add(key)
        where = f"{outcome.task.name}: " if outcome.task.name else ""
        say_warning(f"{where}{outcome.result}")


# -- what comes of it -----------------------------------------------------------------------------


def _show(comparison: Comparison, page: OutputFile | None, *, as_json: bool) -> None:
    if as_json:
        print(json_text(comparison.to_json(), encoding=standard_encoding(), indent=2))
    else:
        _print_table(comparison)
    if page is not None:
        page.begin()
        page.write(page_of(comparison))


def _print_table(comparison: Comparison) -> None:
    from rich.text import Text

    from neurologic.cli.tables import print_wide_table

    def aligned(text: str, is_number: bool) -> Text:
        return Text(text, justify="right" if is_number else "left")

    print_wide_table(
        [Text("decoder"), *(aligned(column.heading, column.is_number) for column in COLUMNS)],
        [
            [Text(decoder), *(aligned(column.shown(figures), column.is_number) for column in COLUMNS)]
            for decoder, figures in comparison.figures().items()
        ],
    )
