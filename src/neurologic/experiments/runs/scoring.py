"""Scores of one system or several: by the task's metrics, with the settings that they belong to.

A *system* is whatever wrote outputs: a model with a decoder, or another program. A *contest* is several of
them on the same inputs; each is compared with the first by a paired bootstrap (see
`neurologic.experiments.metrics.bootstrap`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from neurologic.experiments.runs.figures import Figures, asking_clauses, figures_of
from neurologic.experiments.runs.manifest import signature
from neurologic.experiments.runs.predictions import Prediction
from neurologic.experiments.tasks.base import Item, Task

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Difference, Score

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class System:
    """Outputs with their scores.

    name         as in tables
    described    what wrote them: a run's manifest, or the file that they come from
    predictions  in the order of the contest's items
    asking       for each, which of its clauses ask for words: those that an empty text does not satisfy
    """

    name: str
    described: Mapping[str, Any]
    predictions: tuple[Prediction, ...]
    scores: tuple[Score, ...]
    asking: tuple[frozenset[str], ...]

    @cached_property
    def figures(self) -> Figures:
        return figures_of(self.predictions, self.asking)

    def to_json(self) -> dict[str, Any]:
        """Scores by name, null for n/a; the signature of the run, and those of the metrics."""
        return {
            "scores": {
                score.name: None if score.value is None else round(score.value, 4) for score in self.scores
            },
            "signature": signature({**self.described, "inputs": len(self.predictions)}),
            "signatures": {score.name: score.signature for score in self.scores if score.signature},
            "not_available": {score.name: score.reason for score in self.scores if score.reason},
            "figures": self.figures.to_json(),
            "run": dict(self.described),
        }


@dataclass(frozen=True)
class Contest:
    """Systems on the same inputs; the first is the one that the others are compared with."""

    task: Task
    items: tuple[Item, ...]
    systems: tuple[System, ...]
    circumstances: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def differences(self) -> dict[str, list[Difference]]:
        """For every system but the first, its difference from that under each metric with values."""
        from neurologic.experiments.metrics import compare

        first, *others = self.systems
        if len(self.items) < 2:  # there is nothing to draw from
            return {}
        return {
            other.name: [
                compare(of_first, of_other)
                for of_first, of_other in zip(first.scores, other.scores, strict=True)
                if of_first.value is not None and of_other.value is not None
            ]
            for other in others
        }

    def worst_first(self) -> list[int]:
        """Places of the items: failures of the first system, then most unmet clauses, then worst score."""
        first = self.systems[0]
        by = next((score.worst() for score in first.scores if score.per_input), range(len(self.items)))

        def failure(place: int) -> tuple[bool, int]:
            one = first.predictions[place]
            return not one.error, -len(one.unmet)

        return sorted(by, key=failure)

    def to_json(self) -> dict[str, Any]:
        """One document for all systems."""
        return {
            **self.circumstances,
            "systems": {system.name: system.to_json() for system in self.systems},
            "compared_with": self.systems[0].name,
            "differences": {
                name: [one.to_json() for one in several] for name, several in self.differences.items()
            },
        }


def scored(
    task: Task,
    items: Sequence[Item],
    name: str,
    described: Mapping[str, Any],
    predictions: Sequence[Prediction],
) -> System:
    """A system's outputs with their scores."""
    scores = task.measure([one.output for one in predictions], items)
    asking = (asking_clauses(item.formula) for item in items)
    return System(name, described, tuple(predictions), tuple(scores), tuple(asking))


def significant(difference: Difference) -> int:
    """1 where the second system is significantly better, -1 where it is worse, 0 where neither is shown."""
    if difference.p_value >= SIGNIFICANT or not difference.gain:
        return 0
    return 1 if difference.gain > 0 else -1
