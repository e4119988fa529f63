"""Our side: `lm.generate` with compiled formulas and a stopwatch."""

from __future__ import annotations

from collections.abc import Sequence

from neurologic.experiments.bench.measure import CLOCK, Clock
from neurologic.experiments.bench.record import Run
from neurologic.experiments.bench.scenarios import Workload
from neurologic.feasibility.constraint import CompiledConstraint
from neurologic.generation.model import ConstrainedModel
from neurologic.search.stopwatch import Stopwatch


def compile_formulas(
    lm: ConstrainedModel, workload: Workload, side: str, clock: Clock = CLOCK
) -> tuple[list[CompiledConstraint], float]:
    """The compiled formulas of one side, and the seconds that it took."""
    started = clock()
    constraints = [lm.compile(formula) for formula in workload.formulas[side]]
    return constraints, clock() - started


def run_ours(
    lm: ConstrainedModel,
    workload: Workload,
    constraints: Sequence[CompiledConstraint],
    clock: Clock = CLOCK,
) -> Run:
    """Write all texts of a workload. Encoding prompts and judging texts are part of the time."""
    stopwatch = Stopwatch()
    started = clock()
    results = lm.generate(
        list(workload.prompts),
        list(constraints),
        num_beams=workload.num_beams,
        min_new_tokens=workload.min_new_tokens,
        max_new_tokens=workload.max_new_tokens,
        length_penalty=1.0,
        early_stopping=False,
        no_repeat_ngram_size=0,
        batch_size=workload.batch_size,
        stopwatch=stopwatch,
    )
    seconds = clock() - started
    return Run(
        seconds=seconds,
        texts=len(results),
        tokens=sum(len(result.tokens) for result in results),
        satisfied=sum(result.satisfied for result in results),
        steps=stopwatch.steps,
        parts={str(name): seconds for name, seconds in stopwatch.seconds.items()},
    )
