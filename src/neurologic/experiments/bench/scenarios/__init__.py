"""The scenarios, one file each: the workloads that they measure, and the figures and targets they show.

Scenarios (c) and (f) share a workload; (g) and (h) have several. In most of them all texts have a fixed
length, so that all sides take equally many steps. All sides read one prompt per text; in (a) a side of ours
also reads the prompt with the hint, to show what that costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from neurologic.experiments.bench.scenarios import (
    clause_sweep,
    concept_sets,
    glossary,
    long_prompt,
    many_beams,
    many_clients,
    mixed_lengths,
    new_formulas,
    required_words,
    sampling,
)
from neurologic.experiments.bench.scenarios.scenario import Scenario
from neurologic.experiments.bench.workload import CountTokens, Size, Workload

SCENARIOS: Mapping[str, Scenario] = MappingProxyType(
    {
        "a": concept_sets.SCENARIO,
        "b": long_prompt.SCENARIO,
        "c": many_beams.SHARE,
        "d": clause_sweep.SCENARIO,
        "e": mixed_lengths.SCENARIO,
        "f": many_beams.PER_STEP,
        "g": new_formulas.SCENARIO,
        "h": required_words.SCENARIO,
        "i": glossary.SCENARIO,
        "j": sampling.SCENARIO,
        "s": many_clients.SCENARIO,
    }
)


def workloads(letters: Sequence[str], size: Size, count_tokens: CountTokens) -> list[Workload]:
    """Return the workloads of these scenarios, each once."""
    needed = {SCENARIOS[letter].workload for letter in letters}
    return [
        workload
        for letter, scenario in SCENARIOS.items()
        if letter == scenario.workload and letter in needed
        for workload in scenario.build(size, count_tokens)
    ]
