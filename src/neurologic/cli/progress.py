"""A progress bar on standard error, for whatever takes more than a few seconds."""

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
