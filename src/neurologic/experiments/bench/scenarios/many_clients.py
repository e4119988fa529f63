"""Scenario (s): a server with many clients, against the same requests from a file."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from neurologic.experiments.bench.figures import Values, time_ratios
from neurologic.experiments.bench.inputs import CONCEPTS
from neurologic.experiments.bench.results import Measured
from neurologic.experiments.bench.scenarios.scenario import Scenario
from neurologic.experiments.bench.scenarios.texts import all_forms, instruction
from neurologic.experiments.bench.workload import FROM_FILE, SERVED, CountTokens, Size, Workload

SERVER_RATIO = f"time ÷ {FROM_FILE}"
FIRST_TEXT = "time to the first bit of a text"


def _workloads(size: Size, _: CountTokens) -> list[Workload]:
    sets = CONCEPTS[-size.served :]
    formulas = tuple(map(all_forms, sets))
    return [
        Workload(
            "s",
            f"{len(sets)} prompts of {size.clients} clients, 8 beams, up to {size.natural_tokens} tokens",
            tuple(map(instruction, sets)),
            {SERVED: formulas, FROM_FILE: formulas},
            num_beams=8,
            max_new_tokens=size.natural_tokens,
            natural=True,
            batch_size=size.batch,
            clients=size.clients,
        )
    ]


def _figures(workload: Measured) -> Iterator[Values]:
    served = workload.sides[SERVED]
    yield SERVER_RATIO, "ratio", time_ratios(served, workload.sides[FROM_FILE])
    yield FIRST_TEXT, "ms", [1000 * statistics.median(run.waits) for run in served.runs if run.waits]


SCENARIO = Scenario(
    "a server with 16 clients against a file, texts that end by themselves, 8 beams",
    "s",
    _workloads,
    _figures,
    {("s", SERVER_RATIO): 1.11},
)
