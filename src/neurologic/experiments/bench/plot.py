"""A picture of results: times against Hugging Face's, and the time against the number of clauses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neurologic.errors import NeurologicError, install_line
from neurologic.experiments.bench.figures import TIME_RATIO
from neurologic.experiments.bench.results import Results
from neurologic.experiments.bench.scenarios.clause_sweep import ALL_NEGATIVE, ONE_CLAUSE
from neurologic.experiments.bench.summary import Statistic, summarise
from neurologic.experiments.plotting import BLUE, GREY, VERMILION, can_draw, picture

SUFFIXES = (".png", ".svg")


class PlotError(NeurologicError, ValueError):
    """A picture that cannot be drawn."""


def require_plot(path: str | Path) -> None:
    """Refuse a picture that could not be drawn, before anything is measured."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise PlotError(f"a plot is written as {' or '.join(SUFFIXES)}, and {path} ends in neither")
    if not can_draw():
        raise PlotError(f"a plot needs matplotlib: {install_line('plots')}")


def draw(results: Results, path: str | Path) -> None:
    """Draw the ratios of (a), (b), (c), (e) in one panel and those of (d) in another."""
    require_plot(path)
    rows = summarise(results)
    ratios = [row for row in rows if row.name == TIME_RATIO]
    sweep = [row for row in rows if row.letter == "d" and row.name.endswith(f"÷ {ONE_CLAUSE}")]
    panels = [(draw_on, some) for draw_on, some in ((_draw_ratios, ratios), (_draw_sweep, sweep)) if some]
    if not panels:
        raise PlotError("there is nothing to draw: a plot shows the scenarios a, b, c, d and e")
    with picture([Path(path)], (5.2, 3.8), len(panels)) as (figure, axes):
        for (draw_on, some), panel in zip(panels, axes, strict=True):
            panel.axhline(1.0, color=GREY, linestyle="--", linewidth=1.2)
            draw_on(panel, some)
            _add_targets(panel, some)
        if results.quick:
            figure.suptitle("quick: small workloads, to which the targets do not apply", fontsize=9)


def _draw_ratios(axes: Any, rows: Sequence[Statistic]) -> None:
    places = range(len(rows))
    axes.bar(places, [row.value for row in rows], width=0.6, color=BLUE)
    _add_spread(axes, rows, "#222222")
    for place, row in enumerate(rows):
        axes.annotate(f"{row.value:.2f}", (place, 0.03), ha="center", color="white", fontweight="bold")
    axes.set_xticks(list(places), [f"({row.letter})" for row in rows])
    axes.set_ylim(0, 1.1 * max(1.0, *(row.high for row in rows)))
    axes.set_title("Time, Hugging Face's beam search = 1", loc="left")


def _draw_sweep(axes: Any, rows: Sequence[Statistic]) -> None:
    places = list(range(len(rows)))
    axes.plot(places, [row.value for row in rows], "o", color=BLUE, markersize=6)
    _add_spread(axes, rows, BLUE)
    names = [row.name.removesuffix(f" ÷ {ONE_CLAUSE}") for row in rows]
    labels = [
        name.replace(" ", "\n") if name == ALL_NEGATIVE else name.removesuffix(" clauses") for name in names
    ]
    axes.set_xticks(places, labels)
    axes.set_xlim(-0.6, len(places) - 0.4)
    axes.set_xlabel("clauses")
    axes.set_ylim(0, 1.1 * max(1.2, *(row.high for row in rows)))
    axes.set_title("(d) Time, one clause = 1", loc="left")


def _add_spread(axes: Any, rows: Sequence[Statistic], colour: str) -> None:
    lows, highs = [row.low for row in rows], [row.high for row in rows]
    axes.vlines(range(len(rows)), lows, highs, color=colour, linewidth=1.5)


def _add_targets(axes: Any, rows: Sequence[Statistic]) -> None:
    """Draw a short line at every target, and name the first one."""
    targets = [(place, row.target) for place, row in enumerate(rows) if row.target is not None]
    for place, target in targets:
        axes.hlines(target, place - 0.38, place + 0.38, color=VERMILION, linewidth=2)
    if targets:
        place, target = targets[0]
        above = {"xytext": (0, 3), "textcoords": "offset points"}
        axes.annotate("target", (place - 0.38, target), **above, color=VERMILION, fontsize=9)
