"""The two curves as data: figures against the amount of training data and against the size of a model.

The paper's own curves are pictures without numbers; only their shape can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neurologic.experiments.metrics import METRICS, Interval, interval
from neurologic.experiments.reproduction.experiment_parts import Curve, RunKey, TrainedModel
from neurologic.experiments.reproduction.found_runs import Findings
from neurologic.experiments.training.folder import TrainingError, TrainingFolder

# The metrics of the curves, with the titles that people know.
SHOWN = {name: METRICS[name].title for name in ("coverage", "bleu_4", "cider")}


@dataclass(frozen=True)
class Point:
    """A run on a curve.

    values  by metric, with the middle 95% of a bootstrap over the inputs; empty if the run is missing
    inputs  how many inputs it was scored on
    """

    x: float
    run: RunKey
    values: dict[str, Interval]
    inputs: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "x": self.x,
            "system": self.run.system,
            "decoder": self.run.decoder,
            "missing": not self.values,
            "inputs": self.inputs,
            **{name: [found.value, found.low, found.high] for name, found in self.values.items()},
        }


@dataclass(frozen=True)
class CurveData:
    """A curve with the values known so far; a plot shows `level` as a line across."""

    key: str
    curve: Curve
    lines: tuple[tuple[str, tuple[Point, ...]], ...]
    level: tuple[str, Point] | None

    @property
    def missing(self) -> list[RunKey]:
        points = [point for _, points in self.lines for point in points]
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


def curve_data(findings: Findings, key: str) -> CurveData:
    """Return one of the two curves: "data" or "size"."""
    scale = findings.reproduction.scale
    curve = scale.data if key == "data" else scale.size
    lines = []
    for line in curve.lines:
        points = []
        for x, system in line.points:
            measured = _measured_size(findings, system) if key == "size" else None
            points.append(_point(findings, x if measured is None else measured, RunKey(system, line.decoder)))
        lines.append((line.title, tuple(points)))
    level = None if curve.level is None else (curve.level[0], _point(findings, 0.0, curve.level[1]))
    return CurveData(key, curve, tuple(lines), level)


def all_curves(findings: Findings) -> list[CurveData]:
    """Return the curves of the wanted parts."""
    return [curve_data(findings, key) for key in ("data", "size") if key in findings.reproduction.parts]


def _measured_size(findings: Findings, system: str) -> float | None:
    """Return the millions of weights of a trained model, None if it is not trained yet."""
    reproduction = findings.reproduction
    model: TrainedModel | None = reproduction.to_train(reproduction.scale.system(system))
    if model is None:
        return None
    folder = TrainingFolder(reproduction.model_folder(model), model.settings, {})
    try:
        return float(folder.result["parameters"]) / 1e6 if folder.result else None
    except TrainingError:  # unreadable
        return None


def _point(findings: Findings, x: float, run: RunKey) -> Point:
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
