"""Scenario (g): formulas never seen before, in batches of 1, 8, 32 and 64, as in real work.

Each run has prompts and formulas of its own, five words in any form; then the same texts are written again.
Nothing is compared with Hugging Face: the figure is the bookkeeping, which a GPU would have to wait for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from neurologic.experiments.bench.figures import BOOKKEEPING_PER_STEP, Values, bookkeeping_per_step
from neurologic.experiments.bench.inputs import Deck, common_words
from neurologic.experiments.bench.results import Measured
from neurologic.experiments.bench.scenarios.scenario import Scenario
from neurologic.experiments.bench.scenarios.texts import all_forms, instruction
from neurologic.experiments.bench.workload import AGAIN, NEW, CountTokens, Inputs, Size, Workload

COLD = f"{BOOKKEEPING_PER_STEP}, {NEW}"
WARM = f"{BOOKKEEPING_PER_STEP}, {AGAIN}"
FORWARD_MS = 30  # what a model of 7 billion parameters needs for a step of 64 inputs on a large GPU
SHARE = f"bookkeeping of a step ÷ {FORWARD_MS} ms, {NEW}"
COMPILING = "compiling a new formula"
_CLAUSES = 5
_FEWEST_TOKENS = 20  # room for five words of several tokens


def _workloads(size: Size, _: CountTokens) -> list[Workload]:
    deck = Deck(common_words(), seed=1)  # one for all batch sizes, so that none finds another's words
    tokens = max(size.tokens, _FEWEST_TOKENS)
    return [
        Workload(
            f"g{batch}",
            f"{_CLAUSES} new words for each of {batch} in a batch, 8 beams, {tokens} tokens",
            (),
            {},
            num_beams=8,
            max_new_tokens=tokens,
            fresh=partial(_deal, deck, batch),
            batch_size=batch,
        )
        for batch in size.batches
    ]


def _deal(deck: Deck, batch: int) -> Inputs:
    sets = [deck.deal(_CLAUSES) for _ in range(batch)]
    return Inputs(tuple(map(instruction, sets)), tuple(map(all_forms, sets)))


def _figures(workload: Measured) -> Iterator[Values]:
    new, again = workload.sides[NEW].runs, workload.sides[AGAIN].runs
    cold = bookkeeping_per_step(new)
    yield COLD, "ms", cold
    yield WARM, "ms", bookkeeping_per_step(again)
    yield SHARE, "share", [milliseconds * new[0].texts / FORWARD_MS for milliseconds in cold]
    yield COMPILING, "ms", [1000 * run.compiling / run.texts for run in new if run.compiling is not None]


SCENARIO = Scenario(
    "formulas never seen before, batches of 1 to 64, 8 beams",
    "g",
    _workloads,
    _figures,
    {
        ("g1", COLD): 0.8,
        ("g8", COLD): 0.25,
        ("g64", COLD): 0.10,
        ("g8", WARM): 0.15,
        ("g8", COMPILING): 3.0,
    },
)
