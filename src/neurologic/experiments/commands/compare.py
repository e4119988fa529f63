"""`neurologic compare`: several decoders on the same inputs, one table."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import neurologic
from neurologic.batches.inputs import InputReader, PromptInput, results_of
from neurologic.batches.lines import conjunction
from neurologic.batches.result_rows import output_fields
from neurologic.batches.sources import STANDARD, Sources, source_name
from neurologic.cli.arguments import (
    add_command_parser,
    add_constraint_options,
    add_model_options,
    add_prompt_options,
    add_reduce_option,
    add_search_options,
    constraint_of,
    given_settings,
    load_model,
    positive_int,
    require_prompts,
)
from neurologic.cli.jsonl import OutputFile, print_json, require_different_files
from neurologic.cli.messages import SATISFIED, UNMET, CommandError, say_warning
from neurologic.cli.progress import progress
from neurologic.decoders.registry import DECODERS
from neurologic.errors import ExpressivityError, NeurologicError
from neurologic.experiments.commands.decoder_options import ALL, parse_decoders, settings_per_decoder
from neurologic.experiments.commands.result_tables import print_result_table
from neurologic.experiments.runs import ComparedInput, Comparison, Prediction
from neurologic.experiments.runs.comparison import COMPARISON_COLUMNS
from neurologic.experiments.runs.report import comparison_page
from neurologic.experiments.tasks import TASKS, Item
from neurologic.experiments.tasks.base import options_of
from neurologic.generation.result import Result
from neurologic.logic import Clause, Formula, require_consistent, to_clauses

if TYPE_CHECKING:
    from neurologic.generation.constrained_model import ConstrainedModel

# Inputs of a task without data have settings of their own, and `compare` has one setting for all.
_TASKS = sorted(name for name, task in TASKS.items() if task.data)


def add_command(commands: Any) -> None:
    parser = add_command_parser(
        commands,
        "compare",
        columns="\n".join(f"  {column.heading:11} {column.meaning}" for column in COMPARISON_COLUMNS),
    )
    add_prompt_options(parser)
    parser.add_argument(
        "--decoders",
        default=ALL,
        metavar="NAMES",
        help=f"names separated by commas, of {', '.join(DECODERS)} (default: {ALL})",
    )
    add_reduce_option(parser)
    _add_input_options(parser)
    _add_output_options(parser)
    add_constraint_options(parser)
    add_model_options(parser)
    add_search_options(parser, several=True)
    parser.set_defaults(run=run)


def _add_input_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("inputs")
    group.add_argument("--task", choices=_TASKS, help="take the inputs of a task, with its settings")
    group.add_argument("--data", metavar="DIR", help="the folder with the task's data")
    group.add_argument("--split", metavar="NAME", help="the part of the task's data (default: dev)")
    group.add_argument("--limit", type=positive_int, metavar="N", help="use only the first N inputs")


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
    settings = given_settings(arguments)
    accepted = settings_per_decoder(decoders, settings, arguments.task)
    formula = constraint_of(arguments)
    if formula is not None:
        require_consistent(to_clauses(formula))  # it holds for every input, so check it before loading
    inputs = _inputs(arguments, formula)
    comparison = Comparison(
        [ComparedInput(_title(given), _clauses(given), given.fields) for given in inputs],
        decoders,
        _settings(arguments, settings, accepted),
    )
    with contextlib.ExitStack() as files:
        page, lines = (
            None if path is None else files.enter_context(OutputFile(path))
            for path in (arguments.html, arguments.output)
        )
        lm = load_model(arguments)
        options = {"reduce": arguments.reduce, "batch_size": arguments.batch_size}
        batches = _batches(lm, inputs, {name: {**own, **options} for name, own in accepted.items()})
        try:
            _run(batches, comparison, lines)
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
    require_prompts(arguments)
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


def _inputs(arguments: argparse.Namespace, formula: Formula | None) -> list[PromptInput]:
    reader = InputReader(formula, arguments.raw, arguments.system)
    if arguments.task is not None:
        task = TASKS[arguments.task]
        items = task.items(arguments.data, arguments.split or "dev", options_of(task, {}))
        inputs = [_input_of_item(index, item, formula) for index, item in enumerate(items)]
    elif arguments.input is not None:
        inputs = list(reader.lines(Sources.named([arguments.input]).rows()))
    else:
        inputs = list(reader.prompts(arguments.prompts))
    inputs = inputs[: arguments.limit]
    if not inputs:
        raise CommandError(f"{source_name(arguments.input or arguments.data)} has no inputs")
    errors = [f"{given.name}: {given.error}" for given in inputs if given.error is not None]
    if len(errors) == len(inputs):
        raise CommandError(f"no input can be used; {errors[0]}")
    return inputs


def _input_of_item(index: int, item: Item, formula: Formula | None) -> PromptInput:
    fields = {"id": item.id, "title": item.title, **item.fields}
    if item.formula is not None:
        fields["formula"] = str(item.formula)
    return PromptInput(index, item.id, fields, item.prompt, conjunction([item.formula, formula]), item.raw)


def _title(given: PromptInput) -> str:
    if "title" in given.fields and not isinstance(given.prompt, str):
        return str(given.fields["title"])
    if isinstance(given.prompt, str):
        return given.prompt or given.name
    return str(given.prompt[-1].get("content", "")) if given.prompt else given.name


def _clauses(given: PromptInput) -> tuple[Clause, ...]:
    try:
        return () if given.formula is None else tuple(to_clauses(given.formula))
    except NeurologicError:  # every decoder will report it
        return ()


# -- the run --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Attempt:
    """A decoder's result for an input, and the text's share of the time of its batch."""

    decoder: str
    given: PromptInput
    result: Result
    seconds: float


def _batches(
    lm: ConstrainedModel, inputs: Sequence[PromptInput], options: Mapping[str, Mapping[str, Any]]
) -> Iterator[list[_Attempt]]:
    """Run each batch of inputs through every decoder in turn, and yield the attempts of one decoder.

    So an interrupted comparison has the same inputs for all decoders, and a busy moment of the machine slows
    all of them. `options` are those of `lm.stream`, by decoder.
    """
    decoders = list(options)
    size = options[decoders[0]]["batch_size"]
    for number, start in enumerate(range(0, len(inputs), size)):
        # Another decoder begins each round: the first one to meet a formula pays for compiling it.
        turn = number % len(decoders)
        for decoder in (*decoders[turn:], *decoders[:turn]):
            yield _batch(lm, inputs[start : start + size], decoder, options[decoder])


def _batch(
    lm: ConstrainedModel, inputs: Sequence[PromptInput], decoder: str, options: Mapping[str, Any]
) -> list[_Attempt]:
    started = time.perf_counter()
    results = list(results_of(lm, inputs, decoder=decoder, **options))
    texts = sum(result.error is None for _, result in results)
    seconds = (time.perf_counter() - started) / max(1, texts)
    return [_Attempt(decoder, given, result, seconds) for given, result in results]


def _run(batches: Iterable[list[_Attempt]], comparison: Comparison, lines: OutputFile | None) -> None:
    """Run every decoder on every input, and write texts as they come."""
    if lines is not None:
        lines.begin()
    done, total = 0, len(comparison.inputs) * len(comparison.decoders)
    reported: set[object] = set()
    try:
        with progress("comparing", total) as advance:
            for attempts in batches:
                for attempt in attempts:
                    _record(attempt, comparison, lines)
                    _report(attempt, reported)
                    done += 1
                    advance()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted after {done} of {total} texts") from None


def _record(attempt: _Attempt, comparison: Comparison, lines: OutputFile | None) -> None:
    decoder, index = attempt.decoder, attempt.given.index
    prediction = Prediction.from_result(str(index), attempt.result, attempt.seconds)
    comparison.add(decoder, index, prediction)
    if lines is not None:
        fields = {**output_fields(attempt.given, attempt.result), **prediction.cost_to_json()}
        # First on the line, and not the field of this name that an input line may have.
        lines.write_line({"decoder": decoder, **fields} | {"decoder": decoder})


def _report(attempt: _Attempt, reported: set[object]) -> None:
    """Say warnings, and each error once: a refusal per decoder, anything else per input."""
    name, error = attempt.given.name, attempt.result.error
    for message in attempt.result.warnings:
        say_warning(f"{', '.join(filter(None, (attempt.decoder, name)))}: {message}")
    if error is None:
        return
    refused = isinstance(error, ExpressivityError)
    key = attempt.decoder if refused else (attempt.given.index, str(error))
    if key not in reported:
        reported.add(key)
        say_warning(f"{name}: {error}" if name else str(error))


def _show(comparison: Comparison, page: OutputFile | None, *, as_json: bool) -> None:
    if as_json:
        print_json(comparison.to_json())
    else:
        print_result_table(comparison.table())
    if page is not None:
        page.begin()
        page.write(comparison_page(comparison))
