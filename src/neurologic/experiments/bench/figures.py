"""The figures that scenarios make of their runs: names, and the arithmetic that several of them share.

A figure has one value per round, computed from the runs of that round; `summary` takes the medians. First
runs, with empty caches, have figures of their own.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import Literal

from neurologic.experiments.bench.results import Measured, Run, Series
from neurologic.experiments.bench.workload import OURS, REFERENCE

Unit = Literal["ratio", "share", "ms"]
Values = tuple[str, Unit, list[float]]  # name, unit and per-round values of a figure

TIME_RATIO = f"time ÷ {REFERENCE}"
FIRST_RATIO = f"first run ÷ {REFERENCE}"
BOOKKEEPING_PER_STEP = "bookkeeping per input and step"


def against_reference(workload: Measured) -> Iterator[Values]:
    """Yield our time over Hugging Face's, in the rounds and in the first run."""
    ours, reference = workload.sides[OURS], workload.sides[REFERENCE]
    yield TIME_RATIO, "ratio", time_ratios(ours, reference)
    usual = statistics.median(run.seconds for run in reference.runs)
    yield FIRST_RATIO, "ratio", [ours.first.seconds / usual]


def time_ratios(numerator: Series, denominator: Series) -> list[float]:
    return [run.seconds / other.seconds for run, other in zip(numerator.runs, denominator.runs, strict=True)]


def bookkeeping_shares(runs: Sequence[Run]) -> list[float]:
    """Return the share of the bookkeeping in the time of each run that has measured it."""
    return [run.bookkeeping / run.seconds for run in runs if run.bookkeeping is not None]


def bookkeeping_per_step(runs: Sequence[Run]) -> list[float]:
    """Return milliseconds of bookkeeping per input and step, of each run that has measured it."""
    return [1000 * run.bookkeeping / run.steps for run in runs if run.bookkeeping is not None and run.steps]
