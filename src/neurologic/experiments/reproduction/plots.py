"""Draw curves as SVG and PNG.

matplotlib is an extra (`neurologic[plots]`), and only this file imports it. The same curve makes the same
file. Lines differ by marker and dash as well as by colour.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from neurologic.experiments.reproduction.curves import SHOWN, CurveData, Point

SUFFIXES = (".svg", ".png")

# After Okabe and Ito, for colour-blind readers: beam search, NeuroLogic, NeuroLogic without supervision.
_STYLES = (("#0072B2", "s", "--"), ("#D55E00", "o", "-"), ("#222222", "D", ":"))


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def draw(curve: CurveData, folder: Path) -> list[Path]:
    """Draw a curve into a folder, one panel per metric; draw nothing if it has no point yet."""
    known = [point for _, points in curve.lines for point in points if point.values]
    if not known or not can_draw():
        return []
    import matplotlib

    matplotlib.use("Agg")  # draws to files, needs no screen
    from matplotlib import pyplot

    names = {name: title for name, title in SHOWN.items() if any(name in point.values for point in known)}
    with matplotlib.rc_context({"svg.hashsalt": "neurologic", "axes.titlesize": 11}):
        canvas, axes = pyplot.subplots(
            1, len(names), figsize=(3.9 * len(names), 3.6), layout="constrained", squeeze=False
        )
        for (name, title), panel in zip(names.items(), axes[0], strict=True):
            _draw_panel(panel, curve, name, title)
        handles, labels = axes[0][0].get_legend_handles_labels()
        canvas.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
        paths = [folder / f"{curve.key}{suffix}" for suffix in SUFFIXES]
        for path in paths:
            canvas.savefig(path, dpi=200, metadata={"Date": None} if path.suffix == ".svg" else None)
        pyplot.close(canvas)
    return paths


def _draw_panel(axes: Any, curve: CurveData, name: str, title: str) -> None:
    for (label, points), style in zip(curve.lines, _STYLES, strict=False):
        _draw_line(axes, label, [point for point in points if name in point.values], name, style)
    if curve.level and name in curve.level[1].values:
        colour, _, dash = _STYLES[2]
        axes.axhline(
            curve.level[1].values[name].value,
            color=colour,
            linestyle=dash,
            label=curve.level[0],
            linewidth=1.5,
        )
    # The stated and the measured size of a model differ a little: they share a label.
    places = {f"{point.x:.3g}": point.x for _, points in curve.lines for point in points}
    axes.set_xscale("log")  # as far from 1% to 10% as from 10% to 100%
    axes.set_xticks(list(places.values()), list(places))
    axes.minorticks_off()
    axes.set_xlabel(curve.curve.x_label)
    axes.set_title(title, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)


def _draw_line(axes: Any, label: str, points: list[Point], name: str, style: tuple[str, str, str]) -> None:
    """Draw a line with the intervals of its points; a line without points is still in the legend."""
    colour, marker, dash = style
    values = [point.values[name] for point in points]
    places = [point.x for point in points]
    axes.vlines(
        places, [found.low for found in values], [found.high for found in values], color=colour, alpha=0.4
    )
    axes.plot(
        places, [found.value for found in values], color=colour, marker=marker, linestyle=dash, label=label
    )
