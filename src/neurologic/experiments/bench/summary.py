"""Summarise results: the figures of all scenarios with their spread, and whether they meet their targets.

The value of a figure is the median over the rounds, its spread the lowest and the highest. What the figures
are is in `figures` and in the scenarios.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from neurologic.experiments.bench.figures import Unit
from neurologic.experiments.bench.results import Results
from neurologic.experiments.bench.scenarios import SCENARIOS

Verdict = Literal["met", "missed", "quick", ""]


@dataclass(frozen=True)
class Statistic:
    """A row of the table.

    workload  the measured workload
    target    the highest value that is good enough, None where there is no target
    quick     whether it comes from the small workloads, to which the target does not apply
    """

    letter: str
    workload: str
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
            "workload": self.workload,
            "figure": self.name,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "unit": self.unit,
            "target": self.target,
            "verdict": self.verdict or None,
        }


def summarise(results: Results) -> list[Statistic]:
    """Return the figures of all requested scenarios that were measured."""
    return [
        Statistic(
            letter,
            measured.letter,
            name,
            *spread(values),
            unit,
            scenario.targets.get((measured.letter, name)),
            results.quick,
        )
        for letter, scenario in SCENARIOS.items()
        if letter in results.letters
        for measured in results.measured
        if scenario.measures(measured.letter)
        for name, unit, values in scenario.figures(measured)
        if values
    ]


def spread(values: Iterable[float]) -> tuple[float, float, float]:
    """Return median, lowest and highest.

    >>> spread([3.0, 1.0, 2.0])
    (2.0, 1.0, 3.0)
    """
    listed = list(values)
    return statistics.median(listed), min(listed), max(listed)
