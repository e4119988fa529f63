"""Run a workload whose formulas are new in every run, and write the same texts again.

The second side repeats what the first has written last, so that each pair of runs shows cold and warm tables
with the same work. Compiling is outside of the run's time and recorded beside it.
"""

from __future__ import annotations

from dataclasses import replace

from neurologic.errors import NeurologicError
from neurologic.experiments.bench.results import Run
from neurologic.experiments.bench.sides import CLOCK, Clock, run_constrained
from neurologic.experiments.bench.workload import Workload
from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.generation.constrained_model import ConstrainedModel


class FreshRuns:
    """The two sides of a workload with fresh formulas."""

    def __init__(self, lm: ConstrainedModel, workload: Workload, clock: Clock = CLOCK) -> None:
        self._lm = lm
        self._workload = workload
        self._clock = clock
        self._constraints: list[CompiledConstraint] = []
        lm.compile("inflect(warm)")  # reads the dictionary of inflections, which is no part of compiling

    def run_new(self) -> Run:
        """Compile new formulas, then write their texts."""
        if self._workload.fresh is None:
            raise NeurologicError(f"workload {self._workload.letter} has no fresh formulas")
        inputs = self._workload.fresh()
        started = self._clock()
        self._constraints = [self._lm.compile(formula) for formula in inputs.formulas]
        compiling = self._clock() - started
        self._workload = replace(self._workload, prompts=inputs.prompts)
        return replace(self.run_again(), compiling=compiling)

    def run_again(self) -> Run:
        """Write the texts of the newest formulas."""
        return run_constrained(self._lm, self._workload, self._constraints, self._clock)
