"""Scenario (b): one prompt of exactly so many tokens."""

from __future__ import annotations

from neurologic.experiments.bench.figures import TIME_RATIO, against_reference
from neurologic.experiments.bench.inputs import STORY
from neurologic.experiments.bench.scenarios.scenario import Scenario
from neurologic.experiments.bench.scenarios.texts import all_forms, instruction
from neurologic.experiments.bench.workload import OURS, CountTokens, Size, Workload

_WORDS = ("boat", "rope", "wind")
_BEGINNINGS = 40


def _workloads(size: Size, count_tokens: CountTokens) -> list[Workload]:
    return [
        Workload(
            "b",
            f"a prompt of {size.prompt_tokens} tokens, 8 beams, {size.tokens} tokens",
            (prompt_of_length(size.prompt_tokens, count_tokens),),
            {OURS: (all_forms(_WORDS),)},
            num_beams=8,
            max_new_tokens=size.tokens,
        )
    ]


def prompt_of_length(length: int, count_tokens: CountTokens) -> str:
    """Return a part of the story and an instruction, together exactly `length` tokens."""
    words = " ".join(STORY).split() * (1 + length // 256)  # enough even if every word is one token

    def prompt(start: int, end: int) -> str:
        return f"{' '.join(words[start:end])}\n\n{instruction(_WORDS)}"

    # A word may have several tokens, so that one word more is too much. Then begin elsewhere.
    for start in range(_BEGINNINGS):
        low, high = start, len(words)  # bisect the most words that fit
        while low < high:
            middle = (low + high + 1) // 2
            fits = count_tokens(prompt(start, middle)) <= length
            low, high = (middle, high) if fits else (low, middle - 1)
        if count_tokens(prompt(start, low)) == length:
            return prompt(start, low)
    raise ValueError(f"no prompt of exactly {length} tokens was found for this tokenizer")


SCENARIO = Scenario("a long prompt, 8 beams", "b", _workloads, against_reference, {("b", TIME_RATIO): 0.33})
