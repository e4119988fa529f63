"""A picture of a record: times against Hugging Face's, and the time against the number of clauses.

matplotlib is an extra (`neurologic[plots]`) and is imported here only. The same record makes the same file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neurologic.errors import NeurologicError
from neurologic.experiments.bench.figures import ONE_CLAUSE, TIME_RATIO, Figure, figures_of
from neurologic.experiments.bench.record import Record
from neurologic.experiments.bench.scenarios import ALL_NEGATIVE

SUFFIXES = (".png", ".svg")

# After Okabe and Ito, for colour-blind readers.
_OURS, _TARGET, _REFERENCE = "#0072B2", "#D55E00", "#555555"


class PlotError(NeurologicError, ValueError):
    """A picture that cannot be drawn."""


def require_plot(path: str | Path) -> None:
    """Refuse what could not be drawn in the end, before anything is measured."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise PlotError(f"a plot is written as {' or '.join(SUFFIXES)}, and {path} ends in neither")
    try:
        import matplotlib  # noqa: F401 (only whether it is there)
    except ImportError:
        raise PlotError("a plot needs matplotlib: pip install 'neurologic[plots]'") from None


def draw(record: Record, path: str | Path) -> None:
    """Draw what was measured of (a), (b), (c), (e) in one panel and of (d) in another."""
    require_plot(path)
    import matplotlib

    matplotlib.use("Agg")  # draws to files, needs no screen
    from matplotlib import pyplot

    figures = figures_of(record)
    against = [figure for figure in figures if figure.name == TIME_RATIO]
    sweep = [figure for figure in figures if figure.letter == "d" and figure.name.endswith(f"÷ {ONE_CLAUSE}")]
    panels = [(draw_on, some) for draw_on, some in ((_draw_ratios, against), (_draw_sweep, sweep)) if some]
    if not panels:
        raise PlotError("there is nothing to draw: a plot shows the scenarios a, b, c, d and e")
    with matplotlib.rc_context({"svg.hashsalt": "neurologic", "axes.titlesize": 11}):
        canvas, axes = pyplot.subplots(
            1, len(panels), figsize=(5.2 * len(panels), 3.8), layout="constrained", squeeze=False
        )
        for (draw_on, some), one in zip(panels, axes[0], strict=True):
            draw_on(one, some)
            _plain(one)
        if record.quick:
            canvas.suptitle("quick: small workloads, to which the targets do not apply", fontsize=9)
        is_svg = Path(path).suffix.lower() == ".svg"
        canvas.savefig(path, dpi=200, metadata={"Date": None} if is_svg else None)
        pyplot.close(canvas)


def _draw_ratios(axes: Any, figures: Sequence[Figure]) -> None:
    places = range(len(figures))
    axes.bar(places, [figure.value for figure in figures], width=0.6, color=_OURS)
    _add_spread(axes, figures, "#222222")
    _add_targets(axes, figures)
    for place, figure in enumerate(figures):
        axes.annotate(f"{figure.value:.2f}", (place, 0.03), ha="center", color="white", fontweight="bold")
    axes.axhline(1.0, color=_REFERENCE, linestyle="--", linewidth=1.2)
    axes.set_xticks(list(places), [f"({figure.letter})" for figure in figures])
    axes.set_ylim(0, 1.1 * max(1.0, *(figure.high for figure in figures)))
    axes.set_title("Time, Hugging Face's beam search = 1", loc="left")


def _draw_sweep(axes: Any, figures: Sequence[Figure]) -> None:
    axes.axhline(1.0, color=_REFERENCE, linestyle="--", linewidth=1.2)
    places = list(range(len(figures)))
    axes.plot(places, [figure.value for figure in figures], "o", color=_OURS, markersize=6)
    _add_spread(axes, figures, _OURS)
    _add_targets(axes, figures)
    names = [figure.name.removesuffix(f" ÷ {ONE_CLAUSE}") for figure in figures]
    labels = [
        name.replace(" ", "\n") if name == ALL_NEGATIVE else name.removesuffix(" clauses") for name in names
    ]
    axes.set_xticks(places, labels)
    axes.set_xlim(-0.6, len(places) - 0.4)
    axes.set_xlabel("clauses")
    axes.set_ylim(0, 1.1 * max(1.2, *(figure.high for figure in figures)))
    axes.set_title("(d) Time, one clause = 1", loc="left")


def _add_spread(axes: Any, figures: Sequence[Figure], colour: str) -> None:
    axes.vlines(
        range(len(figures)),
        [figure.low for figure in figures],
        [figure.high for figure in figures],
        color=colour,
        linewidth=1.5,
    )


def _add_targets(axes: Any, figures: Sequence[Figure]) -> None:
    """A short line at every target, named at the first one."""
    named = False
    for place, figure in enumerate(figures):
        if figure.limit is not None:
            axes.hlines(figure.limit, place - 0.38, place + 0.38, color=_TARGET, linewidth=2)
            if not named:
                axes.annotate(
                    "target",
                    (place - 0.38, figure.limit),
                    xytext=(0, 3),
                    textcoords="offset points",
                    color=_TARGET,
                    fontsize=9,
                )
            named = True


def _plain(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
