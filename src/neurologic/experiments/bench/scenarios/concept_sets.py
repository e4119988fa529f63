"""Scenario (a): eight concept sets in a batch, once as they are and once with the hint."""

from __future__ import annotations

from collections.abc import Iterator

from neurologic.experiments.bench.figures import TIME_RATIO, Values, against_reference, time_ratios
from neurologic.experiments.bench.inputs import CONCEPTS
from neurologic.experiments.bench.results import Measured
from neurologic.experiments.bench.scenarios.scenario import Scenario
from neurologic.experiments.bench.scenarios.texts import all_forms, instruction
from neurologic.experiments.bench.workload import BATCH, HINTED, OURS, CountTokens, Size, Workload

HINT_RATIO = "with the hint ÷ without"


def _workloads(size: Size, _: CountTokens) -> list[Workload]:
    sets = CONCEPTS[:BATCH]
    formulas = tuple(map(all_forms, sets))
    return [
        Workload(
            "a",
            f"{len(sets)} concept sets in a batch, 8 beams, {size.tokens} tokens",
            tuple(map(instruction, sets)),
            {OURS: formulas, HINTED: formulas},
            num_beams=8,
            max_new_tokens=size.tokens,
        )
    ]


def _figures(workload: Measured) -> Iterator[Values]:
    yield from against_reference(workload)
    if HINTED in workload.sides:  # documents of earlier versions lack it
        yield HINT_RATIO, "ratio", time_ratios(workload.sides[HINTED], workload.sides[OURS])


SCENARIO = Scenario(
    "concept sets, a batch of 8, 8 beams",
    "a",
    _workloads,
    _figures,
    {("a", TIME_RATIO): 0.45, ("a", HINT_RATIO): 1.7},
)
