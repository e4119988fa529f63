"""Draw with matplotlib, an extra that only this module imports. The same data makes the same file."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# After Okabe and Ito, for colour-blind readers.
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#555555"


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


@contextmanager
def picture(
    paths: Sequence[Path], size: tuple[float, float], panels: int = 1
) -> Iterator[tuple[Any, list[Any]]]:
    """Give a figure and the axes of its panels, side by side; write the figure on exit.

    paths  the files to write, .svg or .png
    size   width and height of a panel, in inches
    """
    import matplotlib

    matplotlib.use("Agg")  # draws to files, needs no screen
    from matplotlib import pyplot

    with matplotlib.rc_context({"svg.hashsalt": "neurologic", "axes.titlesize": 11}):
        figure, axes = pyplot.subplots(
            1, panels, figsize=(size[0] * panels, size[1]), layout="constrained", squeeze=False
        )
        for panel in axes[0]:
            panel.spines[["top", "right"]].set_visible(False)
            panel.grid(axis="y", alpha=0.3)
            panel.set_axisbelow(True)
        try:
            yield figure, list(axes[0])
            for path in paths:
                is_svg = path.suffix.lower() == ".svg"
                figure.savefig(path, dpi=200, metadata={"Date": None} if is_svg else None)
        finally:
            pyplot.close(figure)
