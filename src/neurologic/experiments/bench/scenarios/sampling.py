"""Scenario (j): sampling one text while 3,000 phrases are forbidden, against plain sampling."""

from __future__ import annotations

from neurologic.experiments.bench.figures import TIME_RATIO, against_reference
from neurologic.experiments.bench.scenarios.scenario import Scenario
from neurologic.experiments.bench.scenarios.texts import REQUIRED_PROMPT, negatives
from neurologic.experiments.bench.workload import OURS, CountTokens, Size, Workload

_FORBIDDEN = 3_000


def _workloads(size: Size, _: CountTokens) -> list[Workload]:
    return [
        Workload(
            "j",
            f"{_FORBIDDEN:,} forbidden words, one text drawn at a time, {size.tokens} tokens",
            (REQUIRED_PROMPT,),
            {OURS: (negatives(_FORBIDDEN),)},
            num_beams=1,
            max_new_tokens=size.tokens,
            sampling=True,
            times=size.sweeps,
        )
    ]


SCENARIO = Scenario(
    "sampling one text with 3,000 forbidden words, against plain sampling",
    "j",
    _workloads,
    against_reference,
    {("j", TIME_RATIO): 1.05},
)
