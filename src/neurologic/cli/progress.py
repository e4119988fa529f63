"""Progress bars on standard error, and durations in words."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def progress(label: str, total: int | None) -> Iterator[Callable[[], None]]:
    """Show a bar for two or more steps; yield the function to call after each step.

    total  None if nobody knows; 0 shows no bar, for a caller that prints its results to the same screen
    """
    with _bar(label, total if total is None or total > 1 else 0, "MofNCompleteColumn") as update:
        yield lambda: update(advance=1)


# Called with the rows that are done, those that an earlier process wrote, their counts in words, and how many
# there are in all, None if nobody knows.
ShowRows = Callable[[int, int, str, int | None], None]


@contextlib.contextmanager
def row_progress(total: int | None, done: int = 0) -> Iterator[ShowRows]:
    """Show a bar for rows with their speed; yield the function to call when some are done.

    total  as for `progress`
    done   how many rows were there before
    """
    started = time.monotonic()

    def speed(written: int) -> str:
        return f"{written / max(time.monotonic() - started, 1e-9):.1f} rows/s"

    steps = total if total is None or total > 1 else 0
    with _bar("", steps, "MofNCompleteColumn", completed=done) as update:
        yield lambda now, before, counts, of: update(
            completed=now, description=f"{speed(now - before)}, {counts}", total=of
        )


@contextlib.contextmanager
def weighted_progress(total: float) -> Iterator[Callable[[str, float], None]]:
    """Show a bar for steps of different lengths; yield the function to call with a label and a share."""
    # The speed is that of the last hour, since the estimates of single steps may be far off.
    with _bar("", total, "TaskProgressColumn", speed_estimate_period=3600) as update:
        yield lambda label, part: update(description=label, advance=part)


@contextlib.contextmanager
def _bar(
    label: str, total: float | None, counter: str, *, completed: int = 0, **options: Any
) -> Iterator[Callable[..., None]]:
    """Show a bar if there is something to do and a terminal to see it; `counter` is a column of rich."""
    if (total is not None and total <= 0) or not sys.stderr.isatty():
        yield lambda **changes: None
        return
    from rich import progress as rich
    from rich.console import Console

    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        getattr(rich, counter)(),
        rich.TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with rich.Progress(*columns, console=console, transient=True, redirect_stdout=False, **options) as bars:
        bar = bars.add_task(label, total=total, completed=completed)
        yield lambda **changes: bars.update(bar, **changes)


def duration(seconds: float) -> str:
    """Return seconds in words.

    >>> [duration(seconds) for seconds in (42, 200, 9000)]
    ['42 s', '3 min', '2 h 30 min']
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
