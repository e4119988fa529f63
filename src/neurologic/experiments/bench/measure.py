"""Taking turns: all sides run once unwatched, then in rounds, another one first each time.

So a slow drift of the machine hits all sides alike, and a figure can be made per round. Seconds are wall
time. Limits: one process, and nothing is done about other work on the machine but to show the spread.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping

from neurologic.experiments.bench.record import Run, Series

Side = Callable[[], Run]
Clock = Callable[[], float]

CLOCK: Clock = time.perf_counter


def alternate(
    sides: Mapping[str, Side], rounds: int, advance: Callable[[], None] = lambda: None
) -> dict[str, Series]:
    """Every side's first run and its runs of `rounds` rounds; `advance` is called after each run."""
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, not {rounds}")
    names = list(sides)

    def one(name: str) -> Run:
        gc.collect()  # nobody pays for what another one left behind
        run = sides[name]()
        advance()
        return run

    first = {name: one(name) for name in names}
    runs: dict[str, list[Run]] = {name: [] for name in names}
    for number in range(rounds):
        start = number % len(names)
        for name in (*names[start:], *names[:start]):
            runs[name].append(one(name))
    return {name: Series(first[name], tuple(runs[name])) for name in names}
