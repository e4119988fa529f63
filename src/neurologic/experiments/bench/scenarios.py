"""The scenarios, and the workloads that they time.

A workload is prompts and settings that all sides share, and formulas that only ours have to obey. Scenarios
(c) and (f) are two figures of one workload. Where texts have a fixed length, minimum and maximum are the
same, so that both sides take equally many steps; only in (e) texts end by themselves.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import neurologic as nl
from neurologic.experiments.bench.material import CONCEPTS, STORY, forbidden_words
from neurologic.logic import Formula

OURS = "neurologic"
REFERENCE = "Hugging Face"
ALL_NEGATIVE = "3,000 negatives"

CountTokens = Callable[[str], int]  # of a prompt as the model takes it, chat template included

# Required words of the formulas that have many clauses; forms of concepts, so that none of them is forbidden.
_REQUIRED = ("dog", "child", "ball", "catch", "beach")
_REQUIRED_PROMPT = "Write a short story about a child and a dog that catches a ball on the beach."
_MIXED_EVERY = 5  # of the clauses that are not positive, every so many is mixed
_BATCH = 8


@dataclass(frozen=True)
class Size:
    """How much is measured.

    tokens          per text, where the length is fixed
    prompt_tokens   of the long prompt in (b)
    clauses         in (d), apart from the formula of negatives only
    sweeps          how many times as many rounds (d) takes as others
    inputs          in (e), and how many of them make a batch, and the tokens that each may have
    """

    tokens: int
    prompt_tokens: int
    clauses: tuple[int, ...]
    sweeps: int
    inputs: int
    batch: int
    natural_tokens: int


FULL = Size(32, 512, (0, 1, 10, 100, 1_000, 3_000), sweeps=3, inputs=64, batch=8, natural_tokens=32)
QUICK = Size(6, 128, (1, 1_000), sweeps=1, inputs=3, batch=2, natural_tokens=8)


@dataclass(frozen=True)
class Workload:
    """What every side has to do, and what ours have to obey on top.

    letter    of the scenario that it belongs to
    title     what it consists of, in a few words
    formulas  by the name of the side: one formula, or None, per prompt
    natural   whether texts end by themselves; otherwise all have `max_new_tokens`
    times     how many times as many rounds it takes as others: ratios near 1 want more
    """

    letter: str
    title: str
    prompts: tuple[str, ...]
    formulas: Mapping[str, tuple[Formula | None, ...]]
    num_beams: int
    max_new_tokens: int
    natural: bool = False
    batch_size: int = _BATCH
    times: int = 1

    @property
    def min_new_tokens(self) -> int:
        return 0 if self.natural else self.max_new_tokens

    @property
    def sides(self) -> tuple[str, ...]:
        return (*self.formulas, REFERENCE)


@dataclass(frozen=True)
class Scenario:
    """A letter of the table: what it is about, and the letter of the workload that it looks at."""

    title: str
    workload: str


SCENARIOS: Mapping[str, Scenario] = MappingProxyType(
    {
        "a": Scenario("concept sets, a batch of 8, 8 beams", "a"),
        "b": Scenario("a long prompt, 8 beams", "b"),
        "c": Scenario("share of the bookkeeping, 10 clauses, 20 beams", "c"),
        "d": Scenario("number of clauses from 0 to 3,000, 8 beams", "d"),
        "e": Scenario("prompts of mixed lengths, texts that end by themselves, 8 beams; memory", "e"),
        "f": Scenario("bookkeeping per input and step, 10 clauses, 20 beams", "c"),
    }
)


def workloads(letters: Sequence[str], size: Size, count_tokens: CountTokens) -> list[Workload]:
    """The workloads of these scenarios, each once."""
    builders: dict[str, Callable[[], Workload]] = {
        "a": lambda: _concept_sets(size),
        "b": lambda: _long_prompt(size, count_tokens),
        "c": lambda: _many_beams(size),
        "d": lambda: _sweep(size),
        "e": lambda: _mixed_lengths(size),
    }
    needed = {SCENARIOS[letter].workload for letter in letters}
    return [build() for letter, build in builders.items() if letter in needed]


# -- the workloads --------------------------------------------------------------------------------


def _concept_sets(size: Size) -> Workload:
    sets = CONCEPTS[:_BATCH]
    return Workload(
        "a",
        f"{len(sets)} concept sets in a batch, 8 beams, {size.tokens} tokens",
        tuple(map(_instruction, sets)),
        {OURS: tuple(map(_all_forms, sets))},
        num_beams=8,
        max_new_tokens=size.tokens,
    )


def _long_prompt(size: Size, count_tokens: CountTokens) -> Workload:
    return Workload(
        "b",
        f"a prompt of {size.prompt_tokens} tokens, 8 beams, {size.tokens} tokens",
        (prompt_of_length(size.prompt_tokens, count_tokens),),
        {OURS: (_all_forms(_OF_LONG_PROMPT),)},
        num_beams=8,
        max_new_tokens=size.tokens,
    )


def _many_beams(size: Size) -> Workload:
    return Workload(
        "c",
        f"10 clauses, 20 beams, {size.tokens} tokens",
        (_REQUIRED_PROMPT,),
        {OURS: (formula_of(10),)},
        num_beams=20,
        max_new_tokens=size.tokens,
    )


def _sweep(size: Size) -> Workload:
    formulas = {name_of_count(count): (formula_of(count),) for count in size.clauses}
    formulas[ALL_NEGATIVE] = (negatives(3_000),)
    return Workload(
        "d",
        f"many clauses, 8 beams, {size.tokens} tokens",
        (_REQUIRED_PROMPT,),
        formulas,
        num_beams=8,
        max_new_tokens=size.tokens,
        times=size.sweeps,
    )


def _mixed_lengths(size: Size) -> Workload:
    sets = CONCEPTS[_BATCH : _BATCH + size.inputs]  # others than in (a), whose formulas are compiled already
    prompts = []
    for place, concepts in enumerate(sets):
        first, sentences = place % 25, 3 * place % 5  # from none to four, neighbours differ
        opening = " ".join(STORY[first : first + sentences])
        prompts.append(f"{opening}\n\n{_instruction(concepts)}".lstrip())
    return Workload(
        "e",
        f"{len(sets)} prompts of mixed lengths in batches of {size.batch}, 8 beams, "
        f"up to {size.natural_tokens} tokens",
        tuple(prompts),
        {OURS: tuple(map(_all_forms, sets))},
        num_beams=8,
        max_new_tokens=size.natural_tokens,
        natural=True,
        batch_size=size.batch,
    )


# -- prompts --------------------------------------------------------------------------------------

_OF_LONG_PROMPT = ("boat", "rope", "wind")
_BEGINNINGS = 40


def _instruction(concepts: Sequence[str]) -> str:
    *others, last = concepts
    return f"Write one sentence with the words {', '.join(others)} and {last}."


def prompt_of_length(length: int, count_tokens: CountTokens) -> str:
    """A text to be read and an instruction that together have exactly so many tokens."""
    words = " ".join(STORY).split() * (1 + length // 256)  # more than enough where a word is a token

    def prompt(start: int, end: int) -> str:
        return f"{' '.join(words[start:end])}\n\n{_instruction(_OF_LONG_PROMPT)}"

    # Words may have several tokens, so that one more is too much; then the text begins elsewhere.
    for start in range(_BEGINNINGS):
        low, high = start, len(words)  # by halves: the most words that fit
        while low < high:
            middle = (low + high + 1) // 2
            fits = count_tokens(prompt(start, middle)) <= length
            low, high = (middle, high) if fits else (low, middle - 1)
        if count_tokens(prompt(start, low)) == length:
            return prompt(start, low)
    raise ValueError(f"no prompt of exactly {length} tokens was found for this tokenizer")


# -- formulas -------------------------------------------------------------------------------------


def _all_forms(concepts: Sequence[str]) -> Formula:
    return nl.all_of(*map(nl.inflect, concepts))


def name_of_count(count: int) -> str:
    """How the sweep calls a formula of so many clauses.

    >>> name_of_count(1), name_of_count(3000)
    ('1 clause', '3,000 clauses')
    """
    return f"{count:,} clause" + ("" if count == 1 else "s")


def formula_of(count: int) -> Formula | None:
    """A formula of so many clauses, at most 5 of them positive and the rest negative or mixed."""
    if not count:
        return None
    words = iter(forbidden_words())
    clauses: list[Formula] = [nl.inflect(word) for word in _REQUIRED[:count]]
    for number in range(1, count - len(clauses) + 1):
        negative = ~nl.phrase(next(words))
        clauses.append(negative if number % _MIXED_EVERY else negative | nl.phrase(next(words)))
    return nl.all_of(*clauses)


def negatives(count: int) -> Formula:
    """A formula of so many forbidden words and nothing else."""
    return nl.all_of(*(~nl.phrase(word) for word in itertools.islice(forbidden_words(), count)))
