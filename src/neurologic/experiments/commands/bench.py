"""`neurologic bench`: measure speed against Hugging Face's beam search, as ratios."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import neurologic
from neurologic.batches.sources import STANDARD, source_name
from neurologic.cli.arguments import (
    DEFAULT_MODEL,
    add_command_parser,
    add_model_options,
    load_model,
    model_options,
    positive_int,
)
from neurologic.cli.jsonl import OutputFile, require_different_files
from neurologic.cli.messages import SATISFIED, CommandError, collected_warnings, say_warning
from neurologic.cli.progress import progress
from neurologic.errors import NeurologicError, missing_extra, system_reason
from neurologic.experiments.bench.plot import draw, require_plot
from neurologic.experiments.bench.results import Results, ResultsError, read_results
from neurologic.experiments.bench.scenarios import SCENARIOS, workloads
from neurologic.experiments.bench.summary import summarise
from neurologic.experiments.bench.tables import circumstances, markdown, sides_table, summary_table
from neurologic.experiments.bench.workload import FULL, QUICK, Workload

if TYPE_CHECKING:
    from neurologic.generation.constrained_model import ConstrainedModel

_ROUNDS = 5
_QUICK_ROUNDS = 2
_SERVED = "s"  # the scenario that needs an extra
_TRANSLATING = "i"  # the scenario that needs a model of the user's


def add_command(commands: Any) -> None:
    parser = add_command_parser(
        commands,
        "bench",
        scenarios="\n".join(f"  {letter}  {scenario.title}" for letter, scenario in SCENARIOS.items()),
    )
    parser.add_argument(
        "--scenarios", metavar="LETTERS", help=f"some of {','.join(SCENARIOS)}, with commas (default: all)"
    )
    parser.add_argument(
        "--runs",
        type=positive_int,
        metavar="N",
        help=f"rounds, after a first run of each side (default: {_ROUNDS})",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"take less than two minutes: fewer inputs, tokens and clauses, {_QUICK_ROUNDS} rounds",
    )
    parser.add_argument(
        "--from", dest="earlier", metavar="FILE", help="show the JSON of an earlier run, measure nothing"
    )
    parser.add_argument(
        "--translation-model",
        metavar="DIR",
        help="folder of a model that translates English into French, for scenario i",
    )
    group = parser.add_argument_group("output")
    group.add_argument(
        "--json",
        nargs="?",
        const=STANDARD,
        metavar="FILE",
        help="write every single run as JSON to a file, or print it instead of the tables",
    )
    group.add_argument("--plot", metavar="FILE", help="draw the ratios as .svg or .png (needs matplotlib)")
    group.add_argument("--markdown", metavar="FILE", help="write the tables as Markdown")
    add_model_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    letters = _letters(arguments.scenarios, translates=arguments.translation_model is not None)
    _require_usage(arguments)
    if arguments.plot is not None:
        require_plot(arguments.plot)
    earlier = None if arguments.earlier is None else _read(arguments.earlier)
    with contextlib.ExitStack() as opened:
        # Open them before measuring, to learn at once that one cannot be written.
        files = {
            option: opened.enter_context(OutputFile(path))
            for option in ("json", "markdown", "plot")
            if (path := getattr(arguments, option)) is not None
        }
        if earlier is not None:
            _show(earlier, files)
            return SATISFIED
        with collected_warnings():
            lm = load_model(arguments)
            results = _unmeasured(lm, arguments, letters)
            try:
                _measure(lm, results, arguments)
            finally:  # an interruption shows what was measured before
                if results.measured:
                    _show(results, files)
    return SATISFIED


# -- usage ----------------------------------------------------------------------------------------


def _letters(given: str | None, *, translates: bool) -> tuple[str, ...]:
    if given is None:
        possible = {_SERVED: _can_serve(), _TRANSLATING: translates}
        return tuple(letter for letter in SCENARIOS if possible.get(letter, True))
    chosen = [letter for part in given.split(",") if (letter := part.strip().lower())]
    unknown = [letter for letter in chosen if letter not in SCENARIOS]
    if unknown or not chosen:
        problem = f"there is no scenario {', '.join(unknown)}" if unknown else "--scenarios needs letters"
        raise CommandError(f"{problem}; choose from {', '.join(SCENARIOS)}, with commas")
    if _SERVED in chosen and not _can_serve():
        raise CommandError(missing_extra("fastapi", "serve", f"scenario {_SERVED}"))
    if _TRANSLATING in chosen and not translates:
        raise CommandError(
            f"scenario {_TRANSLATING} needs --translation-model DIR, the folder of a model of transformers "
            "that translates English into French (Marian, such as opus-mt-en-fr)"
        )
    return tuple(letter for letter in SCENARIOS if letter in chosen)


def _can_serve() -> bool:
    return all(find_spec(package) is not None for package in ("fastapi", "uvicorn", "prometheus_client"))


def _require_usage(arguments: argparse.Namespace) -> None:
    if STANDARD in (arguments.plot, arguments.markdown):
        raise CommandError(
            "--plot and --markdown need a file; standard output is for the table, or for --json"
        )
    paths = {
        "--from": arguments.earlier,
        "--json": arguments.json,
        "--plot": arguments.plot,
        "--markdown": arguments.markdown,
    }
    require_different_files({option: path for option, path in paths.items() if path != STANDARD})
    if arguments.earlier is None:
        return
    measuring = {
        "--scenarios": arguments.scenarios is not None,
        "--runs": arguments.runs is not None,
        "--quick": arguments.quick,
        "--translation-model": arguments.translation_model is not None,
        "--model": arguments.model != DEFAULT_MODEL,
        **{f"--{name.replace('_', '-')}": True for name in model_options(arguments)},
    }
    for option, given in measuring.items():
        if given:
            raise CommandError(f"{option} cannot be combined with --from")


def _read(path: str) -> Results:
    try:
        text = sys.stdin.read() if path == STANDARD else Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot read {source_name(path)}: {system_reason(error)}") from error
    except UnicodeDecodeError as error:
        raise CommandError(
            f"{source_name(path)} is not UTF-8: {error.reason} at byte {error.start + 1}"
        ) from error
    try:
        return read_results(text)
    except ResultsError as error:
        raise CommandError(f"{source_name(path)} cannot be shown: {error}") from error


# -- measuring ------------------------------------------------------------------------------------


def _unmeasured(lm: ConstrainedModel, arguments: argparse.Namespace, letters: tuple[str, ...]) -> Results:
    """Return the results before the first run."""
    from neurologic.experiments.bench.machine import this_machine
    from neurologic.experiments.bench.sides import require_generate

    require_generate(lm)
    rounds = arguments.runs or (_QUICK_ROUNDS if arguments.quick else _ROUNDS)
    return Results(this_machine(lm, arguments.model), letters, rounds, arguments.quick)


def _measure(lm: ConstrainedModel, results: Results, arguments: argparse.Namespace) -> None:
    """Measure all workloads and add each to the results."""
    from neurologic.experiments.bench.measure import measure, number_of_runs
    from neurologic.experiments.bench.memory import peak_memory
    from neurologic.experiments.bench.sides import prompt_ids

    def memory_of(side: str) -> int | None:
        try:
            return peak_memory(side, arguments.model, model_options(arguments), quick=arguments.quick)
        except NeurologicError as error:
            say_warning(str(error))  # the times are worth showing anyway
            return None

    size = QUICK if arguments.quick else FULL
    chosen = workloads(results.letters, size, lambda prompt: len(prompt_ids(lm, prompt)))
    try:
        with progress("measuring", number_of_runs(chosen, results.rounds)) as advance:
            for model, some in _by_model(lm, chosen, arguments):
                for workload in measure(model, some, results.rounds, memory_of, advance):
                    results.measured.append(workload)
    except KeyboardInterrupt:
        done = ", ".join(workload.letter for workload in results.measured) or "none"
        raise KeyboardInterrupt(f"interrupted; measured scenarios: {done}") from None


def _by_model(
    lm: ConstrainedModel, chosen: Sequence[Workload], arguments: argparse.Namespace
) -> Iterator[tuple[ConstrainedModel, list[Workload]]]:
    """Yield the workloads in their order, in groups for the same model; (i) has one of its own."""
    for translates, some in itertools.groupby(chosen, lambda workload: workload.letter == _TRANSLATING):
        yield _translation_model(arguments) if translates else lm, list(some)


def _translation_model(arguments: argparse.Namespace) -> ConstrainedModel:
    """Load the model for (i), on the CPU in float32, where CTranslate2 and int8 compete with it."""
    lm = neurologic.load(arguments.translation_model, device="cpu")
    if not lm.model.config.is_encoder_decoder:
        raise CommandError(
            f"{arguments.translation_model} does not translate: "
            "--translation-model takes an encoder–decoder model"
        )
    return lm


# -- output ---------------------------------------------------------------------------------------


def _show(results: Results, files: dict[str, OutputFile]) -> None:
    for option, file in files.items():
        file.begin()
        if option == "json":
            document = {**results.to_json(), "figures": [row.to_json() for row in summarise(results)]}
            file.write_line(document, indent=2)
        elif option == "markdown":
            file.write(markdown(results))
        else:
            draw(results, file.path)
    if "json" not in files or files["json"].path != STANDARD:
        _print(results)


def _print(results: Results) -> None:
    from neurologic.cli.tables import print_line
    from neurologic.experiments.commands.result_tables import print_result_table

    for line in circumstances(results):
        print_line(line, style="bold" if line.startswith("quick") else "dim")
    for table in (summary_table(results), sides_table(results)):
        print()
        print_result_table(table)
