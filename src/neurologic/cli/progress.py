"""A progress bar on standard error, for whatever takes more than a few seconds; times as people say them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[], None]]:
    """What to call after each of `total` things; there is a bar for two or more, if somebody can see it.

    A caller whose results run over the same screen as they come passes a total of 0.
    """
    if total < 2 or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bars:
        bar = bars.add_task("", total=total)
        yield lambda: bars.advance(bar)


@contextlib.contextmanager
def weighted_progress(total: float) -> Iterator[Callable[[str, float], None]]:
    """A bar for things that take unlike times: what to call with a label and a part of `total`."""
    if total <= 0 or not sys.stderr.isatty():
        yield lambda label, worth: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    # The speed is that of an hour, since some things are worth more than they take.
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        speed_estimate_period=3600,
    ) as bars:
        bar = bars.add_task("", total=total)
        yield lambda label, worth: bars.update(bar, description=label, advance=worth)


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    >>> [duration(seconds) for seconds in (42, 200, 9000)]
    ['42 s', '3 min', '2 h 30 min']
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
