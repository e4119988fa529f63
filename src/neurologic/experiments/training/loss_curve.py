"""The loss curve of a training: points as JSON, and a picture of them where matplotlib is installed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from neurologic.experiments.plotting import BLUE, VERMILION, can_draw, picture
from neurologic.experiments.training.folder import CURVE
from neurologic.storage import write_whole

PICTURES = ("loss.svg", "loss.png")


@dataclass(frozen=True)
class Point:
    """The mean loss in nats per token, of the steps since the last point or of the held-out examples."""

    step: int
    loss: float
    held_out: bool = False


def points_of(history: Iterable[Mapping[str, Any]]) -> list[Point]:
    """Return the points that transformers' trainer has logged.

    >>> points_of([{"step": 10, "loss": 2.5}, {"step": 10, "eval_loss": 2.75}, {"step": 10, "epoch": 1.0}])
    [Point(step=10, loss=2.5, held_out=False), Point(step=10, loss=2.75, held_out=True)]
    """
    return [
        Point(int(entry["step"]), float(entry[name]), held_out)
        for entry in history
        for name, held_out in (("loss", False), ("eval_loss", True))
        if name in entry
    ]


def last_loss(points: Sequence[Point], *, held_out: bool) -> float | None:
    """Return the loss of the last point of a line, None if it has no points."""
    return next((point.loss for point in reversed(points) if point.held_out == held_out), None)


def write_points(points: Sequence[Point], folder: Path) -> None:
    text = json.dumps({"unit": "nats per token", "points": [asdict(point) for point in points]}, indent=1)
    write_whole(folder / CURVE, text + "\n")


def draw(points: Sequence[Point], folder: Path, title: str) -> None:
    """Draw the curve as SVG and PNG, if it has points and matplotlib is installed."""
    if not points or not can_draw():
        return
    with picture([folder / name for name in PICTURES], (6.4, 3.8)) as (_, [axes]):
        for held_out, name, colour in ((False, "training", BLUE), (True, "held out", VERMILION)):
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
        axes.legend(frameon=False)
