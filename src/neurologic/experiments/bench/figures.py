"""The arithmetic: from the runs of a record to figures with their spread, and the targets they are held to.

A figure is made per round, from runs that stood side by side, and its value is the median over the rounds;
the spread is the lowest and the highest. A first run, when nothing is remembered, has its own.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from neurologic.experiments.bench.record import Measured, Record, Run, Series
from neurologic.experiments.bench.scenarios import ALL_NEGATIVE, OURS, REFERENCE, SCENARIOS, name_of_count

Unit = Literal["ratio", "share", "ms"]
Verdict = Literal["met", "missed", "quick", ""]

TIME_RATIO = f"time ÷ {REFERENCE}"
FIRST_RATIO = f"first run ÷ {REFERENCE}"
MEMORY_RATIO = f"peak memory ÷ {REFERENCE}"
BOOKKEEPING_SHARE = "bookkeeping ÷ time"
BOOKKEEPING_PER_STEP = "bookkeeping per input and step"
ONE_CLAUSE = name_of_count(1)

# The highest value that is good enough.
TARGETS: dict[tuple[str, str], float] = {
    ("a", TIME_RATIO): 0.75,
    ("b", TIME_RATIO): 0.48,
    ("c", BOOKKEEPING_SHARE): 0.05,
    ("d", f"{name_of_count(1_000)} ÷ {ONE_CLAUSE}"): 1.10,
    ("d", f"{ALL_NEGATIVE} ÷ {ONE_CLAUSE}"): 1.15,
    ("e", TIME_RATIO): 0.70,
    ("e", MEMORY_RATIO): 1.0,
    ("f", BOOKKEEPING_PER_STEP): 2.0,
}


@dataclass(frozen=True)
class Figure:
    """One row of the table.

    limit  the target, None where there is none
    quick  whether it comes from the small workloads, for which the target is not meant
    """

    letter: str
    name: str
    value: float
    low: float
    high: float
    unit: Unit = "ratio"
    limit: float | None = None
    quick: bool = False

    @property
    def verdict(self) -> Verdict:
        if self.limit is None:
            return ""
        if self.quick:
            return "quick"
        return "met" if self.value <= self.limit else "missed"

    def to_json(self) -> dict[str, Any]:
        return {
            "scenario": self.letter,
            "figure": self.name,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "unit": self.unit,
            "target": self.limit,
            "verdict": self.verdict or None,
        }


def figures_of(record: Record) -> list[Figure]:
    """The figures of all scenarios that were asked for and are measured."""
    measured = {one.letter: one for one in record.measured}
    return [
        _with_target(figure, record.quick)
        for letter in SCENARIOS
        if letter in record.letters and (one := measured.get(SCENARIOS[letter].workload)) is not None
        for figure in _FIGURES[letter](one)
    ]


def summary(values: Iterable[float]) -> tuple[float, float, float]:
    """Median, lowest and highest.

    >>> summary([3.0, 1.0, 2.0])
    (2.0, 1.0, 3.0)
    """
    listed = list(values)
    return statistics.median(listed), min(listed), max(listed)


def ratios(over: Series, under: Series) -> list[float]:
    """The ratio of the times, round by round."""
    return [one.seconds / other.seconds for one, other in zip(over.runs, under.runs, strict=True)]


def _with_target(figure: Figure, quick: bool) -> Figure:
    limit = TARGETS.get((figure.letter, figure.name))
    return Figure(
        figure.letter, figure.name, figure.value, figure.low, figure.high, figure.unit, limit, quick
    )


# -- figures per scenario -------------------------------------------------------------------------


def _against_reference(measured: Measured) -> Iterator[Figure]:
    sides = measured.sides
    yield Figure(measured.letter, TIME_RATIO, *summary(ratios(sides[OURS], sides[REFERENCE])))
    usual, *_ = summary(run.seconds for run in sides[REFERENCE].runs)
    yield Figure(measured.letter, FIRST_RATIO, *summary([sides[OURS].first.seconds / usual]))


def _many_beams(measured: Measured) -> Iterator[Figure]:
    shares = [bookkeeping / run.seconds for run, bookkeeping in _bookkeeping(measured.sides[OURS].runs)]
    if shares:
        yield Figure("c", BOOKKEEPING_SHARE, *summary(shares), unit="share")
    yield from _against_reference(measured)


def _sweep(measured: Measured) -> Iterator[Figure]:
    one = measured.sides[ONE_CLAUSE]
    for name, series in measured.sides.items():
        if name not in (ONE_CLAUSE, REFERENCE):
            yield Figure("d", f"{name} ÷ {ONE_CLAUSE}", *summary(ratios(series, one)))
    yield Figure("d", f"{ONE_CLAUSE} ÷ {REFERENCE}", *summary(ratios(one, measured.sides[REFERENCE])))


def _mixed_lengths(measured: Measured) -> Iterator[Figure]:
    yield from _against_reference(measured)
    ours, theirs = (measured.sides[name].peak_memory for name in (OURS, REFERENCE))
    if ours is not None and theirs:
        yield Figure("e", MEMORY_RATIO, *summary([ours / theirs]))


def _bookkeeping_alone(measured: Measured) -> Iterator[Figure]:
    each = [
        1000 * bookkeeping / run.steps
        for run, bookkeeping in _bookkeeping(measured.sides[OURS].runs)
        if run.steps
    ]
    if each:
        yield Figure("f", BOOKKEEPING_PER_STEP, *summary(each), unit="ms")


def _bookkeeping(runs: Sequence[Run]) -> list[tuple[Run, float]]:
    return [(run, run.bookkeeping) for run in runs if run.bookkeeping is not None]


_FIGURES: dict[str, Callable[[Measured], Iterator[Figure]]] = {
    "a": _against_reference,
    "b": _against_reference,
    "c": _many_beams,
    "d": _sweep,
    "e": _mixed_lengths,
    "f": _bookkeeping_alone,
}
