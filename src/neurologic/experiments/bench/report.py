"""A record as tables of plain strings, for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neurologic.experiments.bench.figures import Figure, figures_of, summary
from neurologic.experiments.bench.record import Record, Run, Series
from neurologic.experiments.bench.scenarios import SCENARIOS

NOTHING = "-"
FEWEST_ROUNDS = 5  # below it a median says little, and a target is not proven


@dataclass(frozen=True)
class Table:
    """Headings and rows; columns from `first_number` on stand to the right."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    first_number: int


def figures_table(record: Record) -> Table:
    """One row per figure, with its target."""
    titles = {one.letter: one.title for one in record.measured}
    rows = [
        (
            figure.letter,
            titles[SCENARIOS[figure.letter].workload],
            figure.name,
            _value(figure, figure.value),
            _spread(_value(figure, figure.low), _value(figure, figure.high)),
            NOTHING if figure.limit is None else f"≤ {_value(figure, figure.limit)}",
            figure.verdict or NOTHING,
        )
        for figure in figures_of(record)
    ]
    return Table(("", "scenario", "figure", "median", "spread", "target", "verdict"), tuple(rows), 3)


def sides_table(record: Record) -> Table:
    """One row per side of every workload."""
    headings = (
        *("", "side", "seconds", "spread", "first run", "compiling", "bookkeeping"),
        *("tokens/text", "tokens/s", "satisfied", "peak memory"),
    )
    rows = [
        (_letters(record, one.letter), name, *_of_series(series))
        for one in record.measured
        for name, series in one.sides.items()
    ]
    return Table(headings, tuple(rows), 2)


def circumstances(record: Record) -> list[str]:
    """Where and how it was measured, a few lines."""
    machine = record.machine
    versions = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    lines = [
        f"{machine.model}, {machine.dtype} on {machine.device}; {machine.cpu}, "
        f"{_counted(machine.cores, 'core')}, {_counted(machine.threads, 'thread')}, {machine.system}",
        versions,
        f"medians of {_counted(record.rounds, 'round')} in which all sides take turns; (d) has more of them",
    ]
    if record.quick:
        lines.append("quick: fewer inputs, tokens and clauses, to which the targets do not apply")
    elif record.rounds < FEWEST_ROUNDS:
        lines.append(f"fewer than {FEWEST_ROUNDS} rounds: the verdicts are provisional")
    return lines


def markdown(record: Record) -> str:
    """Circumstances and both tables, to be put into a page."""
    lines = [f"- {line}" for line in circumstances(record)]
    for table in (figures_table(record), sides_table(record)):
        lines += ["", *_markdown_table(table)]
    return "\n".join(lines) + "\n"


def _markdown_table(table: Table) -> list[str]:
    marks = ["---" if place < table.first_number else "--:" for place in range(len(table.headings))]
    return [f"| {' | '.join(row)} |" for row in (table.headings, marks, *table.rows)]


# -- cells ----------------------------------------------------------------------------------------


def _of_series(series: Series) -> tuple[str, ...]:
    median, low, high = summary(run.seconds for run in series.runs)
    speed, *_ = summary(run.tokens / run.seconds for run in series.runs)
    last = series.runs[-1]
    return (
        _seconds(median),
        _spread(_seconds(low), _seconds(high)),
        _seconds(series.first.seconds),
        NOTHING if series.compiling is None else _seconds(series.compiling),
        _bookkeeping(series.runs),
        f"{last.tokens / last.texts:.1f}",
        f"{speed:.1f}",
        _satisfied(series),
        NOTHING if series.peak_memory is None else f"{series.peak_memory / 2**20:.0f} MiB",
    )


def _bookkeeping(runs: Sequence[Run]) -> str:
    """Seconds of a run that are nobody's but the search's own."""
    known = [run.bookkeeping for run in runs if run.bookkeeping is not None]
    return _seconds(summary(known)[0]) if known else NOTHING


def _satisfied(series: Series) -> str:
    """Of the run with the fewest: a text that fails its formula in any run shows."""
    counts = [run.satisfied for run in (series.first, *series.runs) if run.satisfied is not None]
    return f"{min(counts)} of {series.first.texts}" if counts else NOTHING


def _letters(record: Record, workload: str) -> str:
    """The scenarios that look at a workload, of those that were asked for."""
    return ", ".join(
        letter for letter, one in SCENARIOS.items() if one.workload == workload and letter in record.letters
    )


def _value(figure: Figure, value: float) -> str:
    if figure.unit == "share":
        return f"{100 * value:.1f} %"
    return f"{value:.2f} ms" if figure.unit == "ms" else f"{value:.2f}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s"


def _spread(low: str, high: str) -> str:
    return NOTHING if low == high else f"{low} – {high}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
