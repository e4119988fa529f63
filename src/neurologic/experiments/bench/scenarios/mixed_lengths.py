"""Scenario (e): prompts of mixed lengths and texts that end by themselves; time and memory."""

from __future__ import annotations

from collections.abc import Iterator

from neurologic.experiments.bench.figures import TIME_RATIO, Values, against_reference
from neurologic.experiments.bench.inputs import CONCEPTS, STORY
from neurologic.experiments.bench.results import Measured
from neurologic.experiments.bench.scenarios.scenario import Scenario
from neurologic.experiments.bench.scenarios.texts import all_forms, instruction
from neurologic.experiments.bench.workload import BATCH, OURS, REFERENCE, CountTokens, Size, Workload

MEMORY_RATIO = f"peak memory ÷ {REFERENCE}"


def _workloads(size: Size, _: CountTokens) -> list[Workload]:
    sets = CONCEPTS[BATCH : BATCH + size.inputs]  # not those of (a): the model has compiled their formulas
    prompts = []
    for place, concepts in enumerate(sets):
        first, sentences = place % 25, 3 * place % 5  # from none to four, neighbours differ
        opening = " ".join(STORY[first : first + sentences])
        prompts.append(f"{opening}\n\n{instruction(concepts)}".lstrip())
    return [
        Workload(
            "e",
            f"{len(sets)} prompts of mixed lengths in batches of {size.batch}, 8 beams, "
            f"up to {size.natural_tokens} tokens",
            tuple(prompts),
            {OURS: tuple(map(all_forms, sets))},
            num_beams=8,
            max_new_tokens=size.natural_tokens,
            natural=True,
            batch_size=size.batch,
        )
    ]


def _figures(workload: Measured) -> Iterator[Values]:
    yield from against_reference(workload)
    ours, reference = workload.sides[OURS].peak_memory, workload.sides[REFERENCE].peak_memory
    if ours is not None and reference:
        yield MEMORY_RATIO, "ratio", [ours / reference]


SCENARIO = Scenario(
    "prompts of mixed lengths, texts that end by themselves, 8 beams; memory",
    "e",
    _workloads,
    _figures,
    {("e", TIME_RATIO): 0.29, ("e", MEMORY_RATIO): 1.0},
)
