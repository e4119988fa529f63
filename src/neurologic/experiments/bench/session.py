"""From workloads to measured ones: compile, take turns, and ask for the memory where it is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from neurologic.experiments.bench import memory
from neurologic.experiments.bench.measure import CLOCK, Clock, Side, alternate
from neurologic.experiments.bench.ours import compile_formulas, run_ours
from neurologic.experiments.bench.record import Measured
from neurologic.experiments.bench.reference import batches_of, run_reference
from neurologic.experiments.bench.scenarios import REFERENCE, Workload
from neurologic.generation.model import ConstrainedModel

PeakMemory = Callable[[str], int | None]


def number_of_runs(workloads: Sequence[Workload], rounds: int) -> int:
    """How often `advance` will be called for these."""
    return sum(len(one.sides) * (rounds * one.times + 1 + (one.letter == memory.LETTER)) for one in workloads)


def measure(
    lm: ConstrainedModel,
    workloads: Sequence[Workload],
    rounds: int,
    peak_memory: PeakMemory,
    advance: Callable[[], None] = lambda: None,
    clock: Clock = CLOCK,
) -> Iterator[Measured]:
    """One workload after the other, so that what is done is kept when the rest is interrupted.

    peak_memory  of a side by its name, asked for scenario (e) only
    advance      called after every run
    """
    for workload in workloads:
        sides, compiling = _sides(lm, workload, clock)
        series = alternate(sides, rounds * workload.times, advance)
        for name in workload.sides:
            series[name] = replace(series[name], compiling=compiling.get(name))
            if workload.letter == memory.LETTER:
                series[name] = replace(series[name], peak_memory=peak_memory(name))
                advance()
        yield Measured(workload.letter, workload.title, workload.num_beams, workload.max_new_tokens, series)


def _sides(
    lm: ConstrainedModel, workload: Workload, clock: Clock
) -> tuple[dict[str, Side], dict[str, float]]:
    """What to run for every side, and the seconds that compiling took for ours."""
    sides: dict[str, Side] = {}
    compiling = {}
    for name in workload.formulas:
        constraints, compiling[name] = compile_formulas(lm, workload, name, clock)
        sides[name] = partial(run_ours, lm, workload, constraints, clock)
    sides[REFERENCE] = partial(run_reference, lm, workload, batches_of(lm, workload), clock)
    return sides, compiling
