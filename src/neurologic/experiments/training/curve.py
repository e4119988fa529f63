"""The loss curve: points as JSON, and a picture of them.

matplotlib is an extra (`neurologic[training]`) and is imported here only; without it there is no picture. The
same curve makes the same file.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from neurologic.experiments.training.folder import CURVE
from neurologic.storage import write_whole

PICTURES = ("loss.svg", "loss.png")

# After Okabe and Ito, for colour-blind readers.
_TRAINING, _HELD_OUT = "#0072B2", "#D55E00"


@dataclass(frozen=True)
class Point:
    """The mean loss in nats per token: of the steps since the last point, or of what is held out."""

    step: int
    loss: float
    held_out: bool = False


def points_of(history: Iterable[Mapping[str, Any]]) -> list[Point]:
    """The points in what transformers' trainer has logged.

    >>> points_of([{"step": 10, "loss": 2.5}, {"step": 10, "eval_loss": 2.75}, {"step": 10, "epoch": 1.0}])
    [Point(step=10, loss=2.5, held_out=False), Point(step=10, loss=2.75, held_out=True)]
    """
    points = []
    for entry in history:
        for name, held_out in (("loss", False), ("eval_loss", True)):
            if name in entry:
                points.append(Point(int(entry["step"]), float(entry[name]), held_out))
    return points


def last_loss(points: Sequence[Point], *, held_out: bool) -> float | None:
    """The loss of the last point of a line."""
    losses = [point.loss for point in points if point.held_out == held_out]
    return losses[-1] if losses else None


def write_points(points: Sequence[Point], folder: Path) -> None:
    """Write the points into a training's folder."""
    text = json.dumps({"unit": "nats per token", "points": [asdict(point) for point in points]}, indent=1)
    write_whole(folder / CURVE, text + "\n")


def can_draw() -> bool:
    """Whether matplotlib is there."""
    return importlib.util.find_spec("matplotlib") is not None


def draw(points: Sequence[Point], folder: Path, title: str) -> None:
    """Draw the curve as SVG and PNG, if that is possible and there is anything to draw."""
    if not points or not can_draw():
        return
    import matplotlib

    matplotlib.use("Agg")  # draws to files, needs no screen
    from matplotlib import pyplot

    with matplotlib.rc_context({"svg.hashsalt": "neurologic", "axes.titlesize": 11}):
        canvas, axes = pyplot.subplots(figsize=(6.4, 3.8), layout="constrained")
        for held_out, name, colour in ((False, "training", _TRAINING), (True, "held out", _HELD_OUT)):
            line = [point for point in points if point.held_out == held_out]
            axes.plot(
                [point.step for point in line],
                [point.loss for point in line],
                marker="o" if held_out or len(line) < 2 else None,
                color=colour,
                label=name,
            )
        axes.set_xlabel("step")
        axes.set_ylabel("loss, nats per token")
        axes.set_title(title, loc="left")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", alpha=0.3)
        axes.legend(frameon=False)
        for name in PICTURES:
            canvas.savefig(folder / name, dpi=200, metadata={"Date": None} if name.endswith(".svg") else None)
        pyplot.close(canvas)
