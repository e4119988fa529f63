"""Is one system better than another? Paired bootstrap resampling over the inputs (Koehn, 2004).

A draw takes as many inputs as there are, with replacement, and scores both systems on them as a corpus: BLEU
and METEOR from the summed counts, not as a mean of single scores. Many draws give

- an interval for each system and for the difference, which holds the middle 95% of the draws;
- a two-sided p-value for "neither is better" (Riezler and Maxwell, 2005): shift the gains of the draws so
  that their mean is 0; p is the share of them at least as far from 0 as the observed gain. Adding one draw to
  numerator and denominator keeps p above 0. The gain is the difference, or its opposite where lower is
  better; where nearer to 0 is better, −20 and +20 are equally good.

CIDEr's weights stay those of all inputs. The bootstrap varies the choice of inputs only: it does not show how
much another training run, or another seed of a sampling decoder, would change the outputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from neurologic.errors import DataError
from neurologic.experiments.metrics.base import Goal, Numbers, Score

DRAWS = 1000
_DRAWS_AT_ONCE = 100  # bounds the memory for draws × inputs


@dataclass(frozen=True)
class Interval:
    """A value with the middle 95% of its draws."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """Two systems under one metric; `difference` is second − first.

    p_value    two-sided, for the hypothesis that neither is better
    signature  names the scores and the draws
    goal       the metric's goal, which decides which system is better
    """

    name: str
    first: Interval
    second: Interval
    difference: Interval
    p_value: float
    signature: str
    goal: Goal = Goal.HIGH

    @property
    def gain(self) -> float:
        """How much better the second is, negative if it is worse."""
        return self.goal.distance(self.first.value) - self.goal.distance(self.second.value)

    def to_json(self) -> dict[str, Any]:
        intervals = {"first": self.first, "second": self.second, "difference": self.difference}
        return {
            "name": self.name,
            **{name: [found.value, found.low, found.high] for name, found in intervals.items()},
            "p_value": self.p_value,
            "signature": self.signature,
        }


def interval(score: Score, draws: int = DRAWS, seed: int = 0) -> Interval:
    """Return the score of a system with its interval."""
    rows = _rows(score)
    drawn = _values(score, _totals([rows], draws, seed)[0])
    return _interval(score.metric.value(rows.sum(axis=0)), drawn)


def compare(first: Score, second: Score, draws: int = DRAWS, seed: int = 0) -> Difference:
    """Compare two systems on the same inputs, in the same order, with the same references and settings."""
    if first.value is not None and second.value is not None and first.signature != second.signature:
        raise DataError(f"these scores cannot be compared: {first.signature} and {second.signature}")
    rows = [_rows(first), _rows(second)]
    totals = _totals(rows, draws, seed)
    drawn = [_values(first, totals[0]), _values(second, totals[1])]
    values = [first.metric.value(rows[0].sum(axis=0)), second.metric.value(rows[1].sum(axis=0))]
    distance = first.metric.goal.distance
    gains = distance(drawn[0]) - distance(drawn[1])
    # The tolerance keeps rounding from deciding between systems that are equal in every draw.
    as_far = np.abs(gains - gains.mean()) >= abs(distance(values[0]) - distance(values[1])) - 1e-9
    return Difference(
        first.name,
        _interval(values[0], drawn[0]),
        _interval(values[1], drawn[1]),
        _interval(values[1] - values[0], drawn[1] - drawn[0]),
        float((as_far.sum() + 1) / (draws + 1)),
        f"{first.signature}|bootstrap:paired|draws:{draws}|seed:{seed}|interval:95",
        first.metric.goal,
    )


def _rows(score: Score) -> Numbers:
    if score.statistics is None:
        raise DataError(f"{score.metric.title} has no value to draw from: {score.reason or 'no statistics'}")
    if len(score.statistics) < 2:
        raise DataError("a bootstrap needs at least two inputs")
    return score.statistics


def _totals(systems: list[Numbers], draws: int, seed: int) -> list[Numbers]:
    """Return the sums of each system's rows over the same draws, [draws, numbers]."""
    if draws < 1:
        raise DataError(f"draws must be at least 1, not {draws}")
    generator = np.random.default_rng(seed)
    inputs = len(systems[0])
    sums: list[list[Numbers]] = [[] for _ in systems]
    for start in range(0, draws, _DRAWS_AT_ONCE):
        size = min(_DRAWS_AT_ONCE, draws - start)
        counts = generator.multinomial(inputs, np.full(inputs, 1 / inputs), size=size)  # [size, inputs]
        for parts, rows in zip(sums, systems, strict=True):
            parts.append(counts @ rows)  # [size, numbers]
    return [np.concatenate(parts) for parts in sums]


def _values(score: Score, totals: Numbers) -> Numbers:
    return np.array([score.metric.value(total) for total in totals])


def _interval(value: float, drawn: Numbers) -> Interval:
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Interval(value, float(low), float(high))
