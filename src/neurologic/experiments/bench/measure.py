"""Measure workloads: all sides run once, then in rounds, and a different side starts each round.

So a slow drift of the machine affects all sides alike, and a ratio can be taken per round. Times are wall
time. Limits: one process, and other work on the machine shows only in the spread.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace

from neurologic.experiments.bench import memory
from neurologic.experiments.bench.fresh import FreshRuns
from neurologic.experiments.bench.results import Measured, Run, Series
from neurologic.experiments.bench.sides import CLOCK, Clock, prepare
from neurologic.experiments.bench.workload import AGAIN, NEW, Workload
from neurologic.generation.constrained_model import ConstrainedModel


def number_of_runs(workloads: Sequence[Workload], rounds: int) -> int:
    """Return how often `measure` will call `advance`."""
    return sum(
        len(workload.sides) * (rounds * workload.times + 1 + (workload.letter == memory.LETTER))
        for workload in workloads
    )


def measure(
    lm: ConstrainedModel,
    workloads: Sequence[Workload],
    rounds: int,
    peak_memory: Callable[[str], int | None],
    advance: Callable[[], None] = lambda: None,
    clock: Clock = CLOCK,
) -> Iterator[Measured]:
    """Measure one workload after the other, so that an interruption loses only the current one.

    peak_memory  measures a side by its name; called for scenario (e) only
    advance      called after every run
    """
    for workload in workloads:
        with ExitStack() as opened:
            prepared = _prepare_sides(lm, workload, clock, opened)
            runs = {side: run for side, (run, _) in prepared.items()}
            series = alternate(runs, rounds * workload.times, advance)
        for side, (_, compiling) in prepared.items():
            series[side] = replace(series[side], compiling=compiling)
            if workload.letter == memory.LETTER:
                series[side] = replace(series[side], peak_memory=peak_memory(side))
                advance()
        yield Measured(workload.letter, workload.title, workload.num_beams, workload.max_new_tokens, series)


def _prepare_sides(
    lm: ConstrainedModel, workload: Workload, clock: Clock, opened: ExitStack
) -> dict[str, tuple[Callable[[], Run], float | None]]:
    """Return per side a function that writes all texts, and the seconds for compiling."""
    if workload.fresh is None:
        return {side: prepare(lm, workload, side, clock, opened) for side in workload.sides}
    fresh = FreshRuns(lm, workload, clock)
    return {NEW: (fresh.run_new, None), AGAIN: (fresh.run_again, None)}


def alternate(
    sides: Mapping[str, Callable[[], Run]], rounds: int, advance: Callable[[], None] = lambda: None
) -> dict[str, Series]:
    """Return the first run of every side and its runs of all rounds; call `advance` after each run."""
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, not {rounds}")
    names = list(sides)

    def run(side: str) -> Run:
        gc.collect()  # collect now, so that one side's garbage is not timed with another's
        finished = sides[side]()
        advance()
        return finished

    first = {side: run(side) for side in names}
    runs: dict[str, list[Run]] = {side: [] for side in names}
    for number in range(rounds):
        start = number % len(names)
        for side in (*names[start:], *names[:start]):
            runs[side].append(run(side))
    return {side: Series(first[side], tuple(runs[side])) for side in names}
