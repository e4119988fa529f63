"""What a scenario is: a title, workloads to measure, and the figures and targets of what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from neurologic.experiments.bench.figures import Values
from neurologic.experiments.bench.results import Measured
from neurologic.experiments.bench.workload import CountTokens, Size, Workload


@dataclass(frozen=True)
class Scenario:
    """A scenario of the benchmark.

    workload  the letter of its workloads, which another scenario may share
    build     makes the workloads
    figures   makes the figures of one measured workload
    targets   the highest value that is good enough, by the workload's letter and the figure's name
    """

    title: str
    workload: str
    build: Callable[[Size, CountTokens], list[Workload]]
    figures: Callable[[Measured], Iterator[Values]]
    targets: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def measures(self, workload: str) -> bool:
        """Return whether a workload of this letter and number belongs to the scenario."""
        return workload.rstrip("0123456789") == self.workload
