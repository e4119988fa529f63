"""Scenarios (c) and (f): the share and the time of the bookkeeping, with ten clauses and 20 beams."""

from __future__ import annotations

from collections.abc import Iterator

from neurologic.experiments.bench.figures import (
    BOOKKEEPING_PER_STEP,
    Values,
    against_reference,
    bookkeeping_per_step,
    bookkeeping_shares,
)
from neurologic.experiments.bench.results import Measured
from neurologic.experiments.bench.scenarios.scenario import Scenario
from neurologic.experiments.bench.scenarios.texts import REQUIRED_PROMPT, formula_of
from neurologic.experiments.bench.workload import OURS, CountTokens, Size, Workload

BOOKKEEPING_SHARE = "bookkeeping ÷ time"


def _workloads(size: Size, _: CountTokens) -> list[Workload]:
    return [
        Workload(
            "c",
            f"10 clauses, 20 beams, {size.tokens} tokens",
            (REQUIRED_PROMPT,),
            {OURS: (formula_of(10),)},
            num_beams=20,
            max_new_tokens=size.tokens,
        )
    ]


def _shares(workload: Measured) -> Iterator[Values]:
    yield BOOKKEEPING_SHARE, "share", bookkeeping_shares(workload.sides[OURS].runs)
    yield from against_reference(workload)


def _per_step(workload: Measured) -> Iterator[Values]:
    yield BOOKKEEPING_PER_STEP, "ms", bookkeeping_per_step(workload.sides[OURS].runs)


SHARE = Scenario(
    "share of the bookkeeping, 10 clauses, 20 beams",
    "c",
    _workloads,
    _shares,
    {("c", BOOKKEEPING_SHARE): 0.05},
)
PER_STEP = Scenario(
    "bookkeeping per input and step, 10 clauses, 20 beams",
    "c",
    _workloads,
    _per_step,
    {("c", BOOKKEEPING_PER_STEP): 2.0},
)
