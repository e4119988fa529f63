"""Scenario (h): five to a hundred required words in one text, never seen before, then once again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from neurologic.experiments.bench.figures import Values, bookkeeping_per_step
from neurologic.experiments.bench.inputs import Deck, common_words
from neurologic.experiments.bench.results import Measured
from neurologic.experiments.bench.scenarios.new_formulas import COLD, COMPILING, WARM
from neurologic.experiments.bench.scenarios.scenario import Scenario
from neurologic.experiments.bench.scenarios.texts import all_forms, instruction
from neurologic.experiments.bench.workload import AGAIN, NEW, CountTokens, Inputs, Size, Workload

_FEWEST_TOKENS = 20
_TOKENS_PER_WORD = 3  # most words have one or two, and other words stand between them


def _workloads(size: Size, _: CountTokens) -> list[Workload]:
    deck = Deck(common_words(), seed=2)
    workloads = []
    for count in size.required:
        tokens = max(size.tokens, _FEWEST_TOKENS, _TOKENS_PER_WORD * count)
        workloads.append(
            Workload(
                f"h{count}",
                f"{count} new words, 8 beams, {tokens} tokens",
                (),
                {},
                num_beams=8,
                max_new_tokens=tokens,
                fresh=partial(_deal, deck, count),
                batch_size=1,
            )
        )
    return workloads


def _deal(deck: Deck, count: int) -> Inputs:
    words = deck.deal(count)
    return Inputs((instruction(words, what="a story"),), (all_forms(words),))


def _figures(workload: Measured) -> Iterator[Values]:
    new, again = workload.sides[NEW].runs, workload.sides[AGAIN].runs
    yield COLD, "ms", bookkeeping_per_step(new)
    yield WARM, "ms", bookkeeping_per_step(again)
    yield COMPILING, "ms", [1000 * run.compiling for run in new if run.compiling is not None]


SCENARIO = Scenario(
    "5 to 100 required words in a text, never seen before, 8 beams",
    "h",
    _workloads,
    _figures,
    {("h40", COLD): 0.5},
)
