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
    add_debug_option,
    add_model_options,
    add_search_options,
    conjunction,
    constraint_of,
    count,
    examples,
    given_settings,
    load_model,
)
from neurologic.cli.batches import Runner
from neurologic.cli.endings import SATISFIED, UNMET, CommandError, say_warning
from neurologic.cli.jsonl import (
    STANDARD,
    OutputFile,
    json_text,
    read_lines,
    require_different_files,
    shown,
    standard_encoding,
)
from neurologic.cli.progress import progress
from neurologic.cli.tasks import Task, is_text, tasks_of_lines, tasks_of_prompts
from neurologic.decoders.registry import DECODERS
from neurologic.errors import NeurologicError
from neurologic.experiments.commands.decoder_options import ALL, parse_decoders, settings_per_decoder
from neurologic.experiments.commands.result_tables import print_result_table
from neurologic.experiments.commands.rounds import Tried, rounds
from neurologic.experiments.runs import ComparedInput, Comparison
from neurologic.experiments.runs.comparison import COMPARISON_COLUMNS
from neurologic.experiments.runs.report import comparison_page
from neurologic.experiments.tasks import TASKS, Item
from neurologic.experiments.tasks.base import options_of
from neurologic.logic import Clause, Formula, require_consistent, to_clauses

_EXAMPLES = """
  neurologic compare --decoders neurologic,beam,cbs -i in.jsonl --reduce --html page.html
  neurologic compare --task commongen --data DIR --split dev --limit 50 --reduce
  neurologic compare "Write one sentence about the park." --include dog --decoders neurologic,gbs,dba
  neurologic compare -i in.jsonl --decoders gbs,cbs --num-beams 4 --rows 20 --json
"""

_DESCRIPTION = f"""
Run several decoders on the same inputs and print one table. Inputs are prompts, lines of JSON as for
generate, or a sample of a task. Each decoder gets the settings that it accepts. A decoder refuses a formula
that it cannot express, unless you give --reduce; the whole formula judges every text in any case.

columns:
{chr(10).join(f"  {column.heading:11} {column.meaning}" for column in COMPARISON_COLUMNS)}

Exit code 0: every decoder wrote a text for every input (satisfied or not), 1: some input failed or was
refused, 2: bad usage or bad input.
"""


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
    parser.add_argument("prompts", metavar="PROMPT", nargs="*", default=[], help="a prompt for the model")
    parser.add_argument(
        "--decoders",
        default=ALL,
        metavar="NAMES",
        help=f"names separated by commas, of {', '.join(DECODERS)} (default: {ALL})",
    )
    parser.add_argument(
        "--reduce",
        action="store_true",
        help="search with the part of a formula that the decoder can express, instead of refusing it",
    )
    _add_input_options(parser)
    _add_output_options(parser)
    add_debug_option(parser)
    add_constraint_options(parser)
    add_model_options(parser)
    add_search_options(parser, several=True)
    parser.set_defaults(run=run)


def _add_input_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("inputs")
    group.add_argument(
        "-i", "--input", metavar="FILE", help='read lines of JSON instead of prompts; "-" for stdin'
    )
    group.add_argument("--task", choices=sorted(TASKS), help="take the inputs of a task, with its settings")
    group.add_argument("--data", metavar="DIR", help="the folder with the task's data")
    group.add_argument("--split", metavar="NAME", help="the part of the task's data (default: dev)")
    group.add_argument("--limit", type=count, metavar="N", help="use only the first N inputs")
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
    decoders = parse_decoders(arguments.decoders)
    given = given_settings(arguments)
    accepted = settings_per_decoder(decoders, given, arguments.task)
    formula = constraint_of(arguments)
    if formula is not None:
        require_consistent(to_clauses(formula))  # it holds for every input, so check it before loading
    tasks = _tasks(arguments, formula)
    inputs = [ComparedInput(_title(task), _clauses(task), task.fields) for task in tasks]
    comparison = Comparison(inputs, decoders, _settings(arguments, given, accepted))
    with contextlib.ExitStack() as files:
        page, lines = (
            None if path is None else files.enter_context(OutputFile(path))
            for path in (arguments.html, arguments.output)
        )
        lm = load_model(arguments)
        runners = [
            Runner(lm, arguments.batch_size, name, settings, reduce=arguments.reduce)
            for name, settings in accepted.items()
        ]
        try:
            _run(tasks, runners, comparison, lines)
        finally:  # after an interruption, show the texts so far
            _show(comparison, page, as_json=arguments.json)
    return SATISFIED if comparison.complete else UNMET


# -- usage ----------------------------------------------------------------------------------------


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


def _settings(
    arguments: argparse.Namespace, given: Mapping[str, Any], accepted: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the settings that a reader needs to repeat the comparison."""
    task = {"task": arguments.task, "split": arguments.split or "dev"} if arguments.task else {}
    return {
        "version": neurologic.__version__,
        "model": arguments.model,
        **task,
        "reduce": arguments.reduce,
        "batch_size": arguments.batch_size,
        "given": dict(given),
        "heeded": dict(accepted),
    }


# -- inputs ---------------------------------------------------------------------------------------


def _tasks(arguments: argparse.Namespace, formula: Formula | None) -> list[Task]:
    if arguments.task is not None:
        task = TASKS[arguments.task]
        items = task.items(arguments.data, arguments.split or "dev", options_of(task, {}))
        tasks = [_task_of_item(index, item, formula) for index, item in enumerate(items)]
    elif arguments.input is not None:
        tasks = tasks_of_lines(read_lines(arguments.input), formula, arguments.raw, arguments.system)
    else:
        tasks = tasks_of_prompts(arguments.prompts, formula, arguments.raw, arguments.system)
    tasks = tasks[: arguments.limit]
    if not tasks:
        raise CommandError(f"{shown(arguments.input or arguments.data)} has no inputs")
    errors = [f"{task.name}: {task.error}" for task in tasks if task.error is not None]
    if len(errors) == len(tasks):
        raise CommandError(f"no input can be used; {errors[0]}")
    return tasks


def _task_of_item(index: int, item: Item, formula: Formula | None) -> Task:
    fields = {"id": item.id, "title": item.title, **item.fields}
    if item.formula is not None:
        fields["formula"] = str(item.formula)
    return Task(index, item.id, fields, item.prompt, conjunction([item.formula, formula]), item.raw)


def _title(task: Task) -> str:
    if "title" in task.fields and not isinstance(task.prompt, str):
        return str(task.fields["title"])
    if isinstance(task.prompt, str):
        return task.prompt or task.name
    return str(task.prompt[-1].get("content", "")) if task.prompt else task.name


def _clauses(task: Task) -> tuple[Clause, ...]:
    try:
        return () if task.formula is None else tuple(to_clauses(task.formula))
    except NeurologicError:  # every decoder will report it
        return ()


# -- the run --------------------------------------------------------------------------------------


def _run(
    tasks: Sequence[Task], runners: Sequence[Runner], comparison: Comparison, lines: OutputFile | None
) -> None:
    """Run every decoder on every task, and write texts as they come."""
    if lines is not None:
        lines.begin()
    clauses = {task.index: compared.clauses for task, compared in zip(tasks, comparison.inputs, strict=True)}
    done, total = 0, len(tasks) * len(runners)
    reported: set[object] = set()
    try:
        with progress("comparing", total) as advance:
            for decoder, batch in rounds(tasks, clauses, runners):
                for tried in batch:
                    _record(decoder, tried, comparison, lines)
                    _report_error(decoder, tried, reported)
                    done += 1
                    advance()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted after {done} of {total} texts") from None


def _record(decoder: str, tried: Tried, comparison: Comparison, lines: OutputFile | None) -> None:
    outcome, prediction = tried
    comparison.add(decoder, outcome.task.index, prediction)
    if lines is not None:
        fields = {**outcome.to_json(), **prediction.cost_to_json()}
        # First on the line, and not the field of this name that an input line may have.
        lines.write_line({"decoder": decoder, **fields} | {"decoder": decoder})


def _report_error(decoder: str, tried: Tried, reported: set[object]) -> None:
    """Report each error once: a refusal per decoder, anything else per input."""
    outcome, prediction = tried
    if not prediction.error:
        return
    key = decoder if prediction.refused else (outcome.task.index, prediction.error)
    if key not in reported:
        reported.add(key)
        where = f"{outcome.task.name}: " if outcome.task.name else ""
        say_warning(f"{where}{prediction.error}")


def _show(comparison: Comparison, page: OutputFile | None, *, as_json: bool) -> None:
    if as_json:
        print(json_text(comparison.to_json(), encoding=standard_encoding(), indent=2))
    else:
        print_result_table(comparison.table())
    if page is not None:
        page.begin()
        page.write(comparison_page(comparison))
