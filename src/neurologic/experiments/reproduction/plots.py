"""Draw the curves, one panel per metric. Lines differ by marker and dash as well as by colour."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from neurologic.experiments.plotting import BLUE, VERMILION, can_draw, picture
from neurologic.experiments.reproduction.curves import SHOWN, CurveData, Point

SUFFIXES = (".svg", ".png")
_PANEL = (3.9, 3.6)  # inches

# Beam search, NeuroLogic, NeuroLogic without supervision: colour, marker and dash.
_STYLES = ((BLUE, "s", "--"), (VERMILION, "o", "-"), ("#222222", "D", ":"))


def draw(curve: CurveData, folder: Path) -> list[Path]:
    """Draw a curve into a folder, as SVG and PNG; draw nothing if it has no point yet."""
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
