"""The two curves, as data and drawn: figures against the amount of training data and the size of a model.

The paper's own curves are pictures without numbers; only their shape can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurologic.experiments.metrics import METRICS, Interval, interval
from neurologic.experiments.plotting import BLUE, VERMILION, can_draw, picture
from neurologic.experiments.reproduction.experiment_parts import Curve, RunKey, TrainedModel
from neurologic.experiments.reproduction.found_runs import Findings
from neurologic.experiments.training.folder import TrainingError, TrainingFolder

# The metrics of the curves, with the titles that people know.
SHOWN = {name: METRICS[name].title for name in ("coverage", "bleu_4", "cider")}

SUFFIXES = (".svg", ".png")
_PANEL = (3.9, 3.6)  # inches

# Beam search, NeuroLogic, NeuroLogic without supervision: they differ by colour, marker and dash.
_STYLES = ((BLUE, "s", "--"), (VERMILION, "o", "-"), ("#222222", "D", ":"))


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


# -- pictures -------------------------------------------------------------------------------------


def draw(curve: CurveData, folder: Path) -> list[Path]:
    """Draw a curve into a folder, as SVG and PNG, one panel per metric; nothing if it has no point yet."""
    known = [point for _, points in curve.lines for point in points if point.values]
    if not known or not can_draw():
        return []
    names = {name: title for name, title in SHOWN.items() if any(name in point.values for point in known)}
    paths = [folder / f"{curve.key}{suffix}" for suffix in SUFFIXES]
    with picture(paths, _PANEL, len(names)) as (figure, panels):
        for (name, title), panel in zip(names.items(), panels, strict=True):
            _draw_panel(panel, curve, name, title)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    return paths


def _draw_panel(panel: Any, curve: CurveData, name: str, title: str) -> None:
    for (label, points), style in zip(curve.lines, _STYLES, strict=False):
        _draw_line(panel, label, [point for point in points if name in point.values], name, style)
    if curve.level and name in curve.level[1].values:
        colour, _, dash = _STYLES[2]
        value = curve.level[1].values[name].value
        panel.axhline(value, color=colour, linestyle=dash, label=curve.level[0], linewidth=1.5)
    # The stated and the measured size of a model differ a little: they share a label.
    places = {f"{point.x:.3g}": point.x for _, points in curve.lines for point in points}
    panel.set_xscale("log")  # as far from 1% to 10% as from 10% to 100%
    panel.set_xticks(list(places.values()), list(places))
    panel.minorticks_off()
    panel.set_xlabel(curve.curve.x_label)
    panel.set_title(title, loc="left")


def _draw_line(panel: Any, label: str, points: list[Point], name: str, style: tuple[str, str, str]) -> None:
    """Draw a line with the intervals of its points; a line without points is still in the legend."""
    colour, marker, dash = style
    values = [point.values[name] for point in points]
    places = [point.x for point in points]
    lows, highs = [found.low for found in values], [found.high for found in values]
    panel.vlines(places, lows, highs, color=colour, alpha=0.4)
    middle = [found.value for found in values]
    panel.plot(places, middle, color=colour, marker=marker, linestyle=dash, label=label)
