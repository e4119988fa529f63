"""The two curves as data: figures against the amount of training data and against the size of a model.

The paper's own curves are pictures without numbers; what can be compared is their shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neurologic.experiments.metrics import METRICS, Interval, interval
from neurologic.experiments.reproduction.findings import Findings
from neurologic.experiments.reproduction.scale import Curve, Key, Trained
from neurologic.experiments.training.folder import TrainingError, TrainingFolder

SHOWN = ("coverage", "bleu_4", "cider")


@dataclass(frozen=True)
class Point:
    """A run on a curve.

    values  by metric, with the middle 95% of a bootstrap over the inputs; empty for a run that is missing
    inputs  how many it was scored on
    """

    x: float
    run: Key
    values: dict[str, Interval]
    inputs: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "x": self.x,
            "system": self.run[0],
            "decoder": self.run[1],
            "missing": not self.values,
            "inputs": self.inputs,
            **{name: [one.value, one.low, one.high] for name, one in self.values.items()},
        }


@dataclass(frozen=True)
class Drawn:
    """A curve with what is known of it; `level` is drawn as a line across."""

    key: str
    curve: Curve
    lines: tuple[tuple[str, tuple[Point, ...]], ...]
    level: tuple[str, Point] | None

    @property
    def missing(self) -> list[Key]:
        points = [point for _, several in self.lines for point in several]
        points += [self.level[1]] if self.level else []
        return [point.run for point in points if not point.values]

    def to_json(self) -> dict[str, Any]:
        document = {
            "title": self.curve.title,
            "x": self.curve.x_label,
            "values": "value, and the middle 95% of a bootstrap over the inputs",
            "lines": {title: [point.to_json() for point in points] for title, points in self.lines},
        }
        if self.level:
            document["level"] = {"title": self.level[0], **self.level[1].to_json()}
        return document


def drawn(findings: Findings, key: str) -> Drawn:
    """One of the two curves: "data" or "size"."""
    scale = findings.reproduction.scale
    curve = scale.data if key == "data" else scale.size
    lines = tuple(
        (
            line.title,
            tuple(
                _point(findings, _x(findings, key, x, system), (system, line.decoder))
                for x, system in line.points
            ),
        )
        for line in curve.lines
    )
    level = None if curve.level is None else (curve.level[0], _point(findings, 0.0, curve.level[1]))
    return Drawn(key, curve, lines, level)


def all_curves(findings: Findings) -> list[Drawn]:
    """The curves of the wanted parts."""
    return [drawn(findings, key) for key in ("data", "size") if key in findings.reproduction.parts]


def _x(findings: Findings, key: str, x: float, system: str) -> float:
    """The place that the scale gives; of a trained model's size, the real one."""
    reproduction = findings.reproduction
    model = reproduction.to_train(reproduction.scale.system(system)) if key == "size" else None
    weights = None if model is None else _weights(findings, model)
    return x if weights is None else weights / 1e6


def _weights(findings: Findings, model: Trained) -> float | None:
    folder = TrainingFolder(findings.reproduction.model_folder(model), model.settings, {})
    try:
        return float(folder.result["parameters"]) if folder.result else None
    except TrainingError:  # cannot be read
        return None


def _point(findings: Findings, x: float, run: Key) -> Point:
    scores = findings.scores(run)
    if scores is None:
        return Point(x, run, {})
    count = len(scores.predictions)
    values = {}
    for score in scores.scores:
        if score.name in SHOWN and score.value is not None:
            spread = interval(score) if count > 1 else Interval(score.value, score.value, score.value)
            values[score.name] = spread
    return Point(x, run, values, count)


def titles() -> dict[str, str]:
    """The metrics of the curves as people write them."""
    return {name: METRICS[name].title for name in SHOWN}
