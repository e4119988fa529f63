"""Is one system better than another? Paired bootstrap resampling over the inputs (Koehn, 2004).

Inputs are drawn with replacement, as many as there are, and both systems are scored on the same draw, as a
corpus: for BLEU and METEOR from the summed counts, not by a mean of single scores. Over many draws this
gives

- for each system and for the difference an interval that holds the middle 95% of the draws;
- a two-sided p-value for "neither is better" (Riezler and Maxwell, 2005): the gains of the draws are
  shifted so that their mean is 0, and p is the share of them at least as far from 0 as the gain observed. One
  is added above and below, so that p is never 0. The gain is the difference, or its opposite where lower is
  better; where nearer to 0 is better, −20 and +20 are as good as each other.

CIDEr's weights stay those of all inputs. What varies here is the choice of inputs; that another training
run or another seed of a sampling decoder would give other outputs is not measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from neurologic.errors import DataError
from neurologic.experiments.metrics.base import Goal, Numbers, Score

DRAWS = 1000
_DRAWS_AT_ONCE = 100  # keeps the counts of draws × inputs small


@dataclass(frozen=True)
class Interval:
    """A value with the middle 95% of its draws."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """Two systems under one metric; `difference` is second − first.

    goal       the metric's, for which of them is better
    p_value    two-sided, for the hypothesis that neither is better
    signature  the draws, beside the metric's own signature
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
        """By how much the second is better, below 0 where it is worse."""
        return self.goal.distance(self.first.value) - self.goal.distance(self.second.value)

    def to_json(self) -> dict[str, Any]:
        intervals = {"first": self.first, "second": self.second, "difference": self.difference}
        return {
            "name": self.name,
            **{name: [one.value, one.low, one.high] for name, one in intervals.items()},
            "p_value": self.p_value,
            "signature": self.signature,
        }


def interval(score: Score, draws: int = DRAWS, seed: int = 0) -> Interval:
    """A system's score with its interval."""
    rows = _rows(score)
    drawn = _values(score, _totals([rows], draws, seed)[0])
    return _interval(score.metric.value(rows.sum(axis=0)), drawn)


def compare(first: Score, second: Score, draws: int = DRAWS, seed: int = 0) -> Difference:
    """Two systems on the same inputs, references and settings; the order of inputs must be the same."""
    if first.value is not None and second.value is not None and first.signature != second.signature:
        raise DataError(f"these scores cannot be compared: {first.signature} and {second.signature}")
    rows = [_rows(first), _rows(second)]
    totals = _totals(rows, draws, seed)
    drawn = [_values(first, totals[0]), _values(second, totals[1])]
    values = [first.metric.value(rows[0].sum(axis=0)), second.metric.value(rows[1].sum(axis=0))]
    distance = first.metric.goal.distance
    gains = distance(drawn[0]) - distance(drawn[1])
    # Rounding must not decide for systems that are equal in every draw.
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
    """For each system the sums of its rows over the same draws: (draws, numbers)."""
    if draws < 1:
        raise DataError(f"draws must be at least 1, not {draws}")
    generator = np.random.default_rng(seed)
    inputs = len(systems[0])
    sums: list[list[Numbers]] = [[] for _ in systems]
    for start in range(0, draws, _DRAWS_AT_ONCE):
        size = min(_DRAWS_AT_ONCE, draws - start)
        how_often = generator.multinomial(inputs, np.full(inputs, 1 / inputs), size=size)  # (size, inputs)
        for of_system, rows in zip(sums, systems, strict=True):
            of_system.append(how_often @ rows)  # (size, numbers)
    return [np.concatenate(parts) for parts in sums]


def _values(score: Score, totals: Numbers) -> Numbers:
    return np.array([score.metric.value(one) for one in totals])


def _interval(value: float, drawn: Numbers) -> Interval:
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Interval(value, float(low), float(high))
