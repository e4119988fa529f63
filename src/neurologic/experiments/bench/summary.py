"""Summarise results: ratios, shares and times with their spread, and the targets for them.

A statistic is computed per round, from the runs of that round. Its value is the median over the rounds,
its spread the lowest and the highest. First runs, with empty caches, have a statistic of their own.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from neurologic.experiments.bench.results import Measured, Results, Run, Series
from neurologic.experiments.bench.scenarios import (
    ALL_NEGATIVE,
    FROM_FILE,
    HINTED,
    OURS,
    REFERENCE,
    SCENARIOS,
    SERVED,
    name_of_count,
)

Unit = Literal["ratio", "share", "ms"]
Verdict = Literal["met", "missed", "quick", ""]
Values = tuple[str, Unit, list[float]]  # name, unit and per-round values of a statistic

TIME_RATIO = f"time ÷ {REFERENCE}"
HINT_RATIO = "with the hint ÷ without"
FIRST_RATIO = f"first run ÷ {REFERENCE}"
MEMORY_RATIO = f"peak memory ÷ {REFERENCE}"
SERVER_RATIO = f"time ÷ {FROM_FILE}"
FIRST_TEXT = "time to the first bit of a text"
BOOKKEEPING_SHARE = "bookkeeping ÷ time"
BOOKKEEPING_PER_STEP = "bookkeeping per input and step"
ONE_CLAUSE = name_of_count(1)

# The highest value that is good enough.
TARGETS: dict[tuple[str, str], float] = {
    ("a", TIME_RATIO): 0.75,
    ("a", HINT_RATIO): 1.7,
    ("b", TIME_RATIO): 0.48,
    ("c", BOOKKEEPING_SHARE): 0.05,
    ("d", f"{name_of_count(1_000)} ÷ {ONE_CLAUSE}"): 1.10,
    ("d", f"{ALL_NEGATIVE} ÷ {ONE_CLAUSE}"): 1.15,
    ("e", TIME_RATIO): 0.70,
    ("e", MEMORY_RATIO): 1.0,
    ("f", BOOKKEEPING_PER_STEP): 2.0,
    ("s", SERVER_RATIO): 1.11,
}


@dataclass(frozen=True)
class Statistic:
    """A row of the table.

    target  the highest value that is good enough, None where there is no target
    quick   whether it comes from the small workloads, to which the target does not apply
    """

    letter: str
    name: str
    value: float
    low: float
    high: float
    unit: Unit = "ratio"
    target: float | None = None
    quick: bool = False

    @property
    def verdict(self) -> Verdict:
        if self.target is None:
            return ""
        if self.quick:
            return "quick"
        return "met" if self.value <= self.target else "missed"

    def to_json(self) -> dict[str, Any]:
        return {
            "scenario": self.letter,
            "figure": self.name,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "unit": self.unit,
            "target": self.target,
            "verdict": self.verdict or None,
        }


def summarise(results: Results) -> list[Statistic]:
    """Return the statistics of all requested scenarios that were measured."""
    measured = {workload.letter: workload for workload in results.measured}
    return [
        Statistic(letter, name, *spread(values), unit, TARGETS.get((letter, name)), results.quick)
        for letter, scenario in SCENARIOS.items()
        if letter in results.letters and scenario.workload in measured
        for name, unit, values in _STATISTICS[letter](measured[scenario.workload])
        if values
    ]


def spread(values: Iterable[float]) -> tuple[float, float, float]:
    """Return median, lowest and highest.

    >>> spread([3.0, 1.0, 2.0])
    (2.0, 1.0, 3.0)
    """
    listed = list(values)
    return statistics.median(listed), min(listed), max(listed)


# -- statistics per scenario ----------------------------------------------------------------------


def _against_reference(workload: Measured) -> Iterator[Values]:
    ours, reference = workload.sides[OURS], workload.sides[REFERENCE]
    yield TIME_RATIO, "ratio", _time_ratios(ours, reference)
    usual = statistics.median(run.seconds for run in reference.runs)
    yield FIRST_RATIO, "ratio", [ours.first.seconds / usual]


def _concept_sets(workload: Measured) -> Iterator[Values]:
    yield from _against_reference(workload)
    if HINTED in workload.sides:  # documents of earlier versions lack it
        yield HINT_RATIO, "ratio", _time_ratios(workload.sides[HINTED], workload.sides[OURS])


def _many_beams(workload: Measured) -> Iterator[Values]:
    timed = _runs_with_bookkeeping(workload)
    yield BOOKKEEPING_SHARE, "share", [seconds / run.seconds for run, seconds in timed]
    yield from _against_reference(workload)


def _sweep(workload: Measured) -> Iterator[Values]:
    one_clause = workload.sides[ONE_CLAUSE]
    for side, series in workload.sides.items():
        if side not in (ONE_CLAUSE, REFERENCE):
            yield f"{side} ÷ {ONE_CLAUSE}", "ratio", _time_ratios(series, one_clause)
    yield f"{ONE_CLAUSE} ÷ {REFERENCE}", "ratio", _time_ratios(one_clause, workload.sides[REFERENCE])


def _mixed_lengths(workload: Measured) -> Iterator[Values]:
    yield from _against_reference(workload)
    ours, reference = workload.sides[OURS].peak_memory, workload.sides[REFERENCE].peak_memory
    if ours is not None and reference:
        yield MEMORY_RATIO, "ratio", [ours / reference]


def _bookkeeping(workload: Measured) -> Iterator[Values]:
    timed = _runs_with_bookkeeping(workload)
    yield BOOKKEEPING_PER_STEP, "ms", [1000 * seconds / run.steps for run, seconds in timed if run.steps]


def _many_clients(workload: Measured) -> Iterator[Values]:
    served = workload.sides[SERVED]
    yield SERVER_RATIO, "ratio", _time_ratios(served, workload.sides[FROM_FILE])
    yield FIRST_TEXT, "ms", [1000 * statistics.median(run.waits) for run in served.runs if run.waits]


def _time_ratios(numerator: Series, denominator: Series) -> list[float]:
    return [run.seconds / other.seconds for run, other in zip(numerator.runs, denominator.runs, strict=True)]


def _runs_with_bookkeeping(workload: Measured) -> list[tuple[Run, float]]:
    return [(run, run.bookkeeping) for run in workload.sides[OURS].runs if run.bookkeeping is not None]


_STATISTICS: dict[str, Callable[[Measured], Iterator[Values]]] = {
    "a": _concept_sets,
    "b": _against_reference,
    "c": _many_beams,
    "d": _sweep,
    "e": _mixed_lengths,
    "f": _bookkeeping,
    "s": _many_clients,
}
