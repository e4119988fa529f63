"""Results as tables, for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neurologic.experiments.bench.results import Measured, Results, Run, Series
from neurologic.experiments.bench.scenarios import SCENARIOS
from neurologic.experiments.bench.summary import Statistic, spread, summarise
from neurologic.experiments.tables import Block, Cell, ResultTable, Row

NOTHING = "-"
FEWEST_ROUNDS = 5  # below it a median says little, and a target is not proven


def summary_table(results: Results) -> ResultTable:
    """Return a row per statistic, with its target."""
    titles = {workload.letter: workload.title for workload in results.measured}
    rows = [
        (
            row.letter,
            titles[row.workload],
            row.name,
            _value(row, row.value),
            _range(_value(row, row.low), _value(row, row.high)),
            NOTHING if row.target is None else f"≤ {_value(row, row.target)}",
            row.verdict or NOTHING,
        )
        for row in summarise(results)
    ]
    headings = ("scenario", "figure", "median", "spread", "target", "verdict")
    return _table("Figures", headings, rows, text_columns=("scenario", "figure"))


def sides_table(results: Results) -> ResultTable:
    """Return a row per side of every workload."""
    headings = (
        *("side", "seconds", "spread", "first run", "compiling", "bookkeeping"),
        *("tokens/text", "tokens/s", "satisfied", "peak memory"),
    )
    rows = [
        (_letters(results, workload.letter), side_name(workload, side), *_cells(series))
        for workload in results.measured
        for side, series in workload.sides.items()
    ]
    return _table("Sides", headings, rows, text_columns=("side",))


def _table(
    title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], text_columns: Iterable[str]
) -> ResultTable:
    """Return a table of these texts; the first of a row is its name."""
    marks = {"met": 1, "missed": -1}
    block = Block(
        "", tuple(Row(row[0], tuple(Cell(text, marks.get(text, 0)) for text in row[1:])) for row in rows)
    )
    return ResultTable(title, tuple(headings), (block,), text_columns=frozenset(text_columns))


def circumstances(results: Results) -> list[str]:
    """Say in a few lines where and how the results were measured."""
    machine = results.machine
    versions = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    lines = [
        f"{machine.model}, {machine.dtype} on {machine.device}; {machine.cpu}, "
        f"{_counted(machine.cores, 'core')}, {_counted(machine.threads, 'thread')}, {machine.system}",
        versions,
        f"medians of {_counted(results.rounds, 'round')} in which all sides take turns; (d) has more of them",
    ]
    if results.quick:
        lines.append("quick: fewer inputs, tokens and clauses, to which the targets do not apply")
    elif results.rounds < FEWEST_ROUNDS:
        lines.append(f"fewer than {FEWEST_ROUNDS} rounds: the verdicts are provisional")
    return lines


def markdown(results: Results) -> str:
    """Return the circumstances and both tables as Markdown."""
    lines = [f"- {line}" for line in circumstances(results)]
    for table in (summary_table(results), sides_table(results)):
        aligned = ["---" if heading in table.text_columns else "--:" for heading in table.headings]
        rows = [["", *table.headings], ["---", *aligned]]
        rows += [[row.name, *(cell.text for cell in row.cells)] for row in table.blocks[0].rows]
        lines += ["", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines) + "\n"


# -- cells ----------------------------------------------------------------------------------------


def _cells(series: Series) -> tuple[str, ...]:
    median, low, high = spread(run.seconds for run in series.runs)
    speed, *_ = spread(run.tokens / run.seconds for run in series.runs)
    last = series.runs[-1]
    return (
        _seconds(median),
        _range(_seconds(low), _seconds(high)),
        _seconds(series.first.seconds),
        NOTHING if series.compiling is None else _seconds(series.compiling),
        _bookkeeping(series.runs),
        f"{last.tokens / last.texts:.1f}",
        f"{speed:.1f}",
        _satisfied(series),
        NOTHING if series.peak_memory is None else f"{series.peak_memory / 2**20:.0f} MiB",
    )


def _bookkeeping(runs: Sequence[Run]) -> str:
    known = [run.bookkeeping for run in runs if run.bookkeeping is not None]
    return _seconds(spread(known)[0]) if known else NOTHING


def _satisfied(series: Series) -> str:
    """Count in the run with the fewest, so that a text that fails in any run shows."""
    counts = [run.satisfied for run in (series.first, *series.runs) if run.satisfied is not None]
    return f"{min(counts)} of {series.first.texts}" if counts else NOTHING


def side_name(workload: Measured, side: str) -> str:
    """Name a side; where a scenario has several workloads, with the number of this one.

    >>> side_name(Measured("g8", "", 8, 32, {}), "new formulas")
    '8: new formulas'
    """
    number = workload.letter.lstrip("abcdefghijklmnopqrstuvwxyz")
    return f"{number}: {side}" if number else side


def _letters(results: Results, workload: str) -> str:
    """Name the requested scenarios that use a workload."""
    return ", ".join(
        letter
        for letter, scenario in SCENARIOS.items()
        if scenario.measures(workload) and letter in results.letters
    )


def _value(row: Statistic, value: float) -> str:
    if row.unit == "share":
        return f"{100 * value:.1f} %"
    return f"{value:.2f} ms" if row.unit == "ms" else f"{value:.2f}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s"


def _range(low: str, high: str) -> str:
    return NOTHING if low == high else f"{low} – {high}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
