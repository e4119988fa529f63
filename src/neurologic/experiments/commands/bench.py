"""`neurologic bench`: speed, side by side with Hugging Face's beam search, as ratios."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import Any

from neurologic.cli.arguments import (
    DEFAULT_MODEL,
    Formatter,
    add_message_options,
    add_model_options,
    examples,
    load_model,
    model_options,
    positive_int,
)
from neurologic.cli.jsonl import (
    STANDARD,
    OutputFile,
    json_text,
    require_different_files,
    source_name,
    standard_encoding,
)
from neurologic.cli.messages import SATISFIED, CommandError, collected_warnings, say_warning, system_reason
from neurologic.cli.progress import progress
from neurologic.errors import NeurologicError
from neurologic.experiments.bench.figures import figures_of
from neurologic.experiments.bench.plot import draw, require_plot
from neurologic.experiments.bench.record import Record, RecordError, read_record
from neurologic.experiments.bench.report import Table, circumstances, figures_table, markdown, sides_table
from neurologic.experiments.bench.scenarios import FULL, QUICK, SCENARIOS, workloads

_EXAMPLES = """
  neurologic bench --quick
  neurologic bench --json results.json --plot speed.svg --markdown speed.md
  neurologic bench --scenarios a,e --runs 7 --threads 2
  neurologic bench --from results.json --plot speed.png
"""

_DESCRIPTION = f"""
Measure how fast texts are written that obey formulas, against plain beam search of the installed
transformers: same model, prompts, beams and number of steps, in turn, in one process. What counts is ratios.

scenarios:
{chr(10).join(f"  {letter}  {one.title}" for letter, one in SCENARIOS.items())}

Exit code 0: it ran, whether targets are met or missed; 2: bad usage or bad input.
"""

_ROUNDS = 5
_QUICK_ROUNDS = 2


def add_command(commands: Any) -> None:
    parser = commands.add_parser(
        "bench",
        help="speed, side by side with Hugging Face's beam search",
        usage="neurologic bench [--quick] [--scenarios LETTERS] [--runs N] [options]",
        description=_DESCRIPTION.strip("\n"),
        epilog=examples(_EXAMPLES),
        formatter_class=Formatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--scenarios",
        metavar="LETTERS",
        help=f"separated by commas, of {', '.join(SCENARIOS)} (default: all)",
    )
    parser.add_argument(
        "--runs",
        type=positive_int,
        metavar="N",
        help=f"how often the sides take turns, after a first run of each (default: {_ROUNDS})",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"under two minutes: fewer inputs, tokens and clauses, {_QUICK_ROUNDS} runs",
    )
    parser.add_argument(
        "--from", dest="record", metavar="FILE", help="measure nothing, show the JSON of an earlier run"
    )
    _add_output_options(parser)
    add_message_options(parser)
    add_model_options(parser)
    parser.set_defaults(run=run)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--json",
        nargs="?",
        const=STANDARD,
        metavar="FILE",
        help="every single run as one JSON document, to a file or instead of the table",
    )
    group.add_argument("--plot", metavar="FILE", help="draw it, as .svg or .png (needs matplotlib)")
    group.add_argument("--markdown", metavar="FILE", help="write the tables for a page")


def run(arguments: argparse.Namespace) -> int:
    letters = _letters(arguments.scenarios)
    _require_usage(arguments)
    if arguments.plot is not None:
        require_plot(arguments.plot)
    earlier = None if arguments.record is None else _read(arguments.record)
    with contextlib.ExitStack() as opened:
        # Opened before the measuring, to know that they can be written.
        files = {
            option: opened.enter_context(OutputFile(path))
            for option in ("json", "markdown", "plot")
            if (path := getattr(arguments, option)) is not None
        }
        if earlier is not None:
            _show(earlier, files)
            return SATISFIED
        measured: list[Record] = []
        try:
            with collected_warnings():
                _measure(arguments, letters, measured)
        finally:  # what was done is shown also when the rest was interrupted
            if measured and measured[0].measured:
                _show(measured[0], files)
    return SATISFIED


# -- what was asked -------------------------------------------------------------------------------


def _letters(given: str | None) -> tuple[str, ...]:
    chosen = tuple(SCENARIOS)
    if given is not None:
        chosen = tuple(dict.fromkeys(name for part in given.split(",") if (name := part.strip().lower())))
    unknown = [letter for letter in chosen if letter not in SCENARIOS]
    if unknown or not chosen:
        found = f"there is no scenario {', '.join(unknown)}" if unknown else "--scenarios needs letters"
        raise CommandError(f"{found}; choose of {', '.join(SCENARIOS)}, separated by commas")
    return tuple(letter for letter in SCENARIOS if letter in chosen)


def _require_usage(arguments: argparse.Namespace) -> None:
    if STANDARD in (arguments.plot, arguments.markdown):
        raise CommandError(
            "--plot and --markdown need a file; standard output is for the table, or for --json"
        )
    names = ("--from", "--json", "--plot", "--markdown")
    paths = (arguments.record, arguments.json, arguments.plot, arguments.markdown)
    given = {name: path for name, path in zip(names, paths, strict=True) if path not in (None, STANDARD)}
    require_different_files(given)
    if arguments.record is None:
        return
    measuring = {
        "--scenarios": arguments.scenarios is not None,
        "--runs": arguments.runs is not None,
        "--quick": arguments.quick,
        "--model": arguments.model != DEFAULT_MODEL,
        **{f"--{name.replace('_', '-')}": True for name in model_options(arguments)},
    }
    for option, was_given in measuring.items():
        if was_given:
            raise CommandError(f"--from shows what was measured already, so it takes no {option}")


def _read(path: str) -> Record:
    try:
        text = sys.stdin.read() if path == STANDARD else Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot read {source_name(path)}: {system_reason(error)}") from error
    except UnicodeDecodeError as error:
        raise CommandError(
            f"{source_name(path)} is not UTF-8: {error.reason} at byte {error.start + 1}"
        ) from error
    try:
        return read_record(text)
    except RecordError as error:
        raise CommandError(f"{source_name(path)} cannot be shown: {error}") from error


# -- the measuring --------------------------------------------------------------------------------


def _measure(arguments: argparse.Namespace, letters: tuple[str, ...], kept: list[Record]) -> None:
    """Fill a record, which is put into `kept` before anything is measured."""
    lm = load_model(arguments)
    from neurologic.experiments.bench.machine import this_machine
    from neurologic.experiments.bench.memory import peak_memory
    from neurologic.experiments.bench.reference import prompt_ids, require_generate
    from neurologic.experiments.bench.session import measure, number_of_runs

    require_generate(lm)

    def memory_of(side: str) -> int | None:
        try:
            return peak_memory(side, arguments.model, model_options(arguments), quick=arguments.quick)
        except NeurologicError as error:
            say_warning(str(error))  # the times are worth showing all the same
            return None

    rounds = arguments.runs or (_QUICK_ROUNDS if arguments.quick else _ROUNDS)
    size = QUICK if arguments.quick else FULL
    several = workloads(letters, size, lambda prompt: len(prompt_ids(lm, prompt)))
    record = Record(this_machine(lm, arguments.model), letters, rounds, arguments.quick)
    kept.append(record)
    try:
        with progress("measuring", number_of_runs(several, rounds)) as advance:
            for one in measure(lm, several, rounds, memory_of, advance):
                record.measured.append(one)
    except KeyboardInterrupt:
        done = ", ".join(one.letter for one in record.measured) or "none"
        raise KeyboardInterrupt(f"interrupted; scenarios that were measured: {done}") from None


# -- what comes of it -----------------------------------------------------------------------------


def _show(record: Record, files: dict[str, OutputFile]) -> None:
    for option, file in files.items():
        file.begin()
        if option == "json":
            document = {**record.to_json(), "figures": [one.to_json() for one in figures_of(record)]}
            encoding = standard_encoding() if file.path == STANDARD else "utf-8"
            file.write(json_text(document, encoding=encoding, indent=2) + "\n")
        elif option == "markdown":
            file.write(markdown(record))
        else:
            draw(record, file.path)
    if "json" not in files or files["json"].path != STANDARD:
        _print(record)


def _print(record: Record) -> None:
    from neurologic.cli.tables import print_line

    for line in circumstances(record):
        print_line(line, style="bold" if line.startswith("quick") else "dim")
    for table in (figures_table(record), sides_table(record)):
        print()
        _print_table(table)


def _print_table(table: Table) -> None:
    from rich.text import Text

    from neurologic.cli.tables import print_wide_table

    def cell(text: str, place: int) -> Text:
        style = {"met": "green", "missed": "bold red"}.get(text, "")
        return Text(text, style, justify="left" if place < table.first_number else "right")

    def row(cells: tuple[str, ...]) -> list[Text]:
        return [cell(text, place) for place, text in enumerate(cells)]

    print_wide_table(row(table.headings), [row(cells) for cells in table.rows])
