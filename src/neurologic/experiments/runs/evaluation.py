"""Scores of systems on the same inputs, by the task's metrics.

A *system* is anything that wrote outputs: a model with a decoder, or another program. The first system of an
evaluation is the one that the others are compared with, by a paired bootstrap (see `metrics.bootstrap`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from neurologic.batches.run_manifest import signature
from neurologic.experiments.runs.prediction import Prediction
from neurologic.experiments.runs.run_statistics import (
    FORCED,
    REPETITION,
    SECONDS,
    TEXTS_SATISFIED,
    Column,
    Figures,
    asking_clauses,
    summarise,
)
from neurologic.experiments.tables import Block, Cell, ResultTable, Row, number_cell
from neurologic.experiments.tasks.base import Item, OpenEnded, Options, Task, WrittenText, options_of

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Difference, Metric, Score

SIGNIFICANCE_LEVEL = 0.05

CLAUSES_SATISFIED = Column(
    "clauses %", "clauses satisfied, of those that ask for words", "clauses_satisfied", 1
)
# The columns of a table of systems, after the scores.
EVALUATION_COLUMNS = (
    CLAUSES_SATISFIED,
    Column("broken %", "texts that break a clause that asks for nothing", "broken", 1),
    TEXTS_SATISFIED,
    FORCED,
    REPETITION,
    Column("words", "words a text", "words", 1),
    Column("calls/text", "model calls per text", "calls", 0),
    SECONDS,
)
_FORMULA = Column("formula", "", "formula", None)

# The figures in JSON, and the attributes of `Figures`.
_FIGURES = {
    "formula": "formula",
    "texts": "texts",
    "failed": "without_text",
    "clauses_satisfied": "clauses_satisfied",
    "broken": "broken",
    "texts_satisfied": "texts_satisfied",
    "forced": "forced",
    "cut_off": "cut_off",
    "repetition": "repetition_1",
    "words": "words",
    "log_likelihood": "log_likelihood",
    "calls": "calls",
    "seconds": "seconds",
}


@dataclass(frozen=True)
class ScoredSystem:
    """Outputs with their scores.

    name         the name in tables
    manifest     describes what wrote the outputs: a run, or the file that they come from
    predictions  one per item of the evaluation, in their order
    asking       for each prediction the clauses that ask for words (see `asking_clauses`)
    """

    name: str
    manifest: Mapping[str, Any]
    predictions: tuple[Prediction, ...]
    scores: tuple[Score, ...]
    asking: tuple[frozenset[str], ...]

    @cached_property
    def figures(self) -> Figures:
        return summarise(self.predictions, self.asking)

    def of(self, places: Sequence[int], part: str) -> ScoredSystem:
        """Return the system on some of the inputs; `part` is their name in signatures."""
        return replace(
            self,
            predictions=tuple(self.predictions[place] for place in places),
            scores=tuple(score.of(places, part) for score in self.scores),
            asking=tuple(self.asking[place] for place in places),
        )

    def score(self, metric: str) -> float | None:
        """Return the value under a metric, None for n/a."""
        return next((score.value for score in self.scores if score.name == metric), None)

    @property
    def signature(self) -> str:
        """The run in one line."""
        return signature({**self.manifest, "inputs": len(self.predictions)})

    @property
    def metric_signatures(self) -> dict[str, str]:
        return {score.name: score.signature for score in self.scores if score.signature}

    @property
    def not_available(self) -> dict[str, str]:
        """The metrics without a value, with the reason."""
        return {score.name: score.reason for score in self.scores if score.reason}

    def to_json(self) -> dict[str, Any]:
        """Return scores by name (null for n/a), signatures, figures and the manifest."""
        return {
            "scores": {
                score.name: None if score.value is None else round(score.value, 4) for score in self.scores
            },
            "signature": self.signature,
            "signatures": self.metric_signatures,
            "not_available": self.not_available,
            "figures": self.figures.to_json(_FIGURES),
            "run": dict(self.manifest),
        }


@dataclass(frozen=True)
class Evaluation:
    """Systems on the same inputs; `circumstances` names task, split and choice of inputs for a reader."""

    task: Task
    items: tuple[Item, ...]
    systems: tuple[ScoredSystem, ...]
    circumstances: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def differences(self) -> dict[str, list[Difference]]:
        """For every system but the first, its difference from the first under each metric with values."""
        from neurologic.experiments.metrics import compare

        first, *others = self.systems
        if len(self.items) < 2:  # a bootstrap has nothing to draw from
            return {}
        return {
            other.name: [
                compare(of_first, of_other)
                for of_first, of_other in zip(first.scores, other.scores, strict=True)
                if of_first.value is not None and of_other.value is not None
            ]
            for other in others
        }

    @cached_property
    def parts(self) -> dict[str, Evaluation]:
        """The evaluations of each part of the inputs by its name; none if there is only one part."""
        names = dict.fromkeys(item.part for item in self.items)
        return {name: self._part(name) for name in names} if len(names) > 1 else {}

    def _part(self, name: str) -> Evaluation:
        places = [place for place, item in enumerate(self.items) if item.part == name]
        items = tuple(self.items[place] for place in places)
        return replace(self, items=items, systems=tuple(system.of(places, name) for system in self.systems))

    def _named_parts(self) -> dict[str, Evaluation]:
        """Return what a table has a block for: every part and all inputs together, or just the latter."""
        return {**self.parts, "all inputs": self} if self.parts else {"": self}

    def worst_first(self) -> list[int]:
        """Rank the items by the first system: failures, then most unmet clauses, then the worst score."""
        first = self.systems[0]
        by_score = next((score.worst() for score in first.scores if score.per_input), range(len(self.items)))

        def failure(place: int) -> tuple[bool, int]:
            prediction = first.predictions[place]
            return not prediction.error, -len(prediction.unmet)

        return sorted(by_score, key=failure)

    def scores_table(self) -> ResultTable:
        """Return one row per system: scores, figures, and the rule that reduced the formulas."""
        metrics = [score.metric for score in self.systems[0].scores]
        titles = (metric.title for metric in metrics)
        count = len(self.items)
        blocks = (
            Block(title, tuple(map(part._scores_row, part.systems)))
            for title, part in self._named_parts().items()
        )
        units = [metric.unit for metric in metrics if metric.unit]
        return ResultTable(
            "Scores",
            (*titles, *(column.heading for column in (*EVALUATION_COLUMNS, _FORMULA))),
            tuple(blocks),
            f"{count} {'input' if count == 1 else 'inputs'}; {', '.join(['in percent', *units])}",
            corner="system",
            text_columns=frozenset({_FORMULA.heading}),
        )

    def _scores_row(self, system: ScoredSystem) -> Row:
        compared = {difference.name: difference for difference in self.differences.get(system.name, [])}
        cells = [
            compared_cell(compared.get(score.name), score.value, digits=score.metric.digits)
            for score in system.scores
        ]
        return Row(
            system.name,
            (*cells, *(column.cell(system.figures) for column in (*EVALUATION_COLUMNS, _FORMULA))),
        )

    def differences_table(self) -> ResultTable | None:
        """Return every system minus the first one with p-values; None if nothing can be compared."""
        compared = {difference.name for found in self.differences.values() for difference in found}
        metrics = [score.metric for score in self.systems[0].scores if score.name in compared]
        if not metrics:
            return None
        blocks = (
            Block(title, tuple(part._differences_row(name, metrics) for name in part.differences))
            for title, part in self._named_parts().items()
        )
        titles = tuple(f"{metric.title} (p)" for metric in metrics)
        corner = f"minus {self.systems[0].name}"
        return ResultTable("Differences", titles, tuple(blocks), corner=corner)

    def _differences_row(self, system: str, metrics: Sequence[Metric]) -> Row:
        found = {difference.name: difference for difference in self.differences[system]}
        return Row(system, tuple(_difference_cell(found.get(each.name), each.digits) for each in metrics))

    def to_json(self) -> dict[str, Any]:
        """Return one document for all systems."""
        return {
            **self.circumstances,
            "systems": {system.name: system.to_json() for system in self.systems},
            "compared_with": self.systems[0].name,
            "differences": {
                name: [difference.to_json() for difference in differences]
                for name, differences in self.differences.items()
            },
            **self.parts_to_json(),
        }

    def parts_to_json(self) -> dict[str, Any]:
        """Return scores, figures and differences of each part under "parts"; nothing if there is only one."""
        if not self.parts:
            return {}
        return {"parts": {name: part._summary_to_json() for name, part in self.parts.items()}}

    def _summary_to_json(self) -> dict[str, Any]:
        document = self.to_json()
        kept = {
            name: {key: system[key] for key in ("scores", "figures")}
            for name, system in document["systems"].items()
        }
        return {"systems": kept, "differences": document["differences"]}


def score_system(
    task: Task,
    items: Sequence[Item],
    name: str,
    manifest: Mapping[str, Any],
    predictions: Sequence[Prediction],
    options: Options | None = None,
) -> ScoredSystem:
    """Score the outputs of a system by the task's metrics; judges read the task's `options`."""
    if isinstance(task, OpenEnded):
        texts = [
            WrittenText(each.output, None if each.seconds is None else each.cut_off) for each in predictions
        ]
        scores = task.judge(texts, items, options or options_of(task, {}))
    else:
        scores = task.measure([prediction.output for prediction in predictions], items)
    asking = (asking_clauses(item.formula) for item in items)
    return ScoredSystem(name, manifest, tuple(predictions), tuple(scores), tuple(asking))


def significance(difference: Difference) -> int:
    """Return 1 if the second system is significantly better, -1 if worse, 0 if neither is shown."""
    if difference.p_value >= SIGNIFICANCE_LEVEL or not difference.gain:
        return 0
    return 1 if difference.gain > 0 else -1


def compared_cell(difference: Difference | None, *values: float | None, digits: int = 1) -> Cell:
    """Return a cell with these values, marked by the significance of a difference."""
    if difference is None:
        return number_cell(*values, digits=digits)
    mark = significance(difference)
    return number_cell(*values, digits=digits, mark=mark, p_value=difference.p_value)


def _difference_cell(difference: Difference | None, digits: int) -> Cell:
    if difference is None:
        return Cell("n/a")
    text = f"{difference.difference.value:+.{digits}f} ({difference.p_value:.3f})"
    return Cell(text, significance(difference), difference.p_value)
