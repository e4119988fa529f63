"""The scenarios, and the workloads that they measure.

A workload has prompts and settings for all sides, and formulas for neurologic's. Scenarios (c) and (f) share
a workload. All texts have a fixed length, so that all sides take equally many steps; only in (e) texts end by
themselves. All sides read one prompt per text; in (a) a side of ours also reads the prompt with the hint, to
show what that costs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import neurologic as nl
from neurologic.experiments.bench.inputs import CONCEPTS, STORY, forbidden_words
from neurologic.logic import Formula

OURS = "neurologic"
HINTED = "neurologic with the hint"
REFERENCE = "Hugging Face"
ALL_NEGATIVE = "3,000 negatives"
SERVED = "serve"
FROM_FILE = "generate -i"

CountTokens = Callable[[str], int]  # counts the tokens of a prompt, with the chat template

# Required words of the formulas with many clauses. They are concepts, so no formula forbids them.
_REQUIRED = ("dog", "child", "ball", "catch", "beach")
_REQUIRED_PROMPT = "Write a short story about a child and a dog that catches a ball on the beach."
_MIXED_EVERY = 5  # every fifth clause that is not positive is mixed
_BATCH = 8


@dataclass(frozen=True)
class Size:
    """The size of all workloads.

    tokens          tokens per text of fixed length
    prompt_tokens   tokens of the long prompt in (b)
    clauses         numbers of clauses in (d), beside the formula of negatives only
    sweeps          rounds of (d) per round of the others
    inputs          inputs of (e); `batch` is their batch size, `natural_tokens` the most tokens of a text
    served          inputs of (s), and the `clients` that send them
    """

    tokens: int
    prompt_tokens: int
    clauses: tuple[int, ...]
    sweeps: int
    inputs: int
    batch: int
    natural_tokens: int
    served: int
    clients: int


FULL = Size(
    tokens=32,
    prompt_tokens=512,
    clauses=(0, 1, 10, 100, 1_000, 3_000),
    sweeps=3,
    inputs=64,
    batch=8,
    natural_tokens=32,
    served=32,
    clients=16,
)
QUICK = Size(6, 128, (1, 1_000), sweeps=1, inputs=3, batch=2, natural_tokens=8, served=4, clients=2)


@dataclass(frozen=True)
class Workload:
    """Prompts and settings of all sides, and the formulas of neurologic's.

    letter    the scenario's letter
    formulas  per side one formula, or None, per prompt
    natural   whether texts end by themselves; otherwise all have `max_new_tokens`
    times     rounds per round of the others: ratios near 1 need more
    clients   clients of the server, which send the prompts; 0 without one. Then Hugging Face has no part
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
    clients: int = 0

    @property
    def min_new_tokens(self) -> int:
        return 0 if self.natural else self.max_new_tokens

    @property
    def sides(self) -> tuple[str, ...]:
        return tuple(self.formulas) if self.clients else (*self.formulas, REFERENCE)


@dataclass(frozen=True)
class Scenario:
    """A row of the table, and the letter of the workload that it measures."""

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
        "s": Scenario("a server with 16 clients against a file, texts that end by themselves, 8 beams", "s"),
    }
)


def workloads(letters: Sequence[str], size: Size, count_tokens: CountTokens) -> list[Workload]:
    """Return the workloads of these scenarios, each once."""
    builders: dict[str, Callable[[], Workload]] = {
        "a": lambda: _concept_sets(size),
        "b": lambda: _long_prompt(size, count_tokens),
        "c": lambda: _many_beams(size),
        "d": lambda: _sweep(size),
        "e": lambda: _mixed_lengths(size),
        "s": lambda: _many_clients(size),
    }
    needed = {SCENARIOS[letter].workload for letter in letters}
    return [build() for letter, build in builders.items() if letter in needed]


# -- the workloads --------------------------------------------------------------------------------


def _concept_sets(size: Size) -> Workload:
    sets = CONCEPTS[:_BATCH]
    formulas = tuple(map(_all_forms, sets))
    return Workload(
        "a",
        f"{len(sets)} concept sets in a batch, 8 beams, {size.tokens} tokens",
        tuple(map(_instruction, sets)),
        {OURS: formulas, HINTED: formulas},
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
    sets = CONCEPTS[_BATCH : _BATCH + size.inputs]  # not those of (a): the model has compiled their formulas
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


def _many_clients(size: Size) -> Workload:
    sets = CONCEPTS[-size.served :]
    formulas = tuple(map(_all_forms, sets))
    return Workload(
        "s",
        f"{len(sets)} prompts of {size.clients} clients, 8 beams, up to {size.natural_tokens} tokens",
        tuple(map(_instruction, sets)),
        {SERVED: formulas, FROM_FILE: formulas},
        num_beams=8,
        max_new_tokens=size.natural_tokens,
        natural=True,
        batch_size=size.batch,
        clients=size.clients,
    )


# -- prompts --------------------------------------------------------------------------------------

_OF_LONG_PROMPT = ("boat", "rope", "wind")
_BEGINNINGS = 40


def _instruction(concepts: Sequence[str]) -> str:
    *others, last = concepts
    return f"Write one sentence with the words {', '.join(others)} and {last}."


def prompt_of_length(length: int, count_tokens: CountTokens) -> str:
    """Return a part of the story and an instruction, together exactly `length` tokens."""
    words = " ".join(STORY).split() * (1 + length // 256)  # enough even if every word is one token

    def prompt(start: int, end: int) -> str:
        return f"{' '.join(words[start:end])}\n\n{_instruction(_OF_LONG_PROMPT)}"

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


# -- formulas -------------------------------------------------------------------------------------


def _all_forms(concepts: Sequence[str]) -> Formula:
    return nl.all_of(*map(nl.inflect, concepts))


def name_of_count(count: int) -> str:
    """Name a formula of the sweep by its number of clauses.

    >>> name_of_count(1), name_of_count(3000)
    ('1 clause', '3,000 clauses')
    """
    return f"{count:,} clause" + ("" if count == 1 else "s")


def formula_of(count: int) -> Formula | None:
    """Return a formula of `count` clauses, at most 5 of them positive and the rest negative or mixed."""
    if not count:
        return None
    words = iter(forbidden_words())
    clauses: list[Formula] = [nl.inflect(word, "any") for word in _REQUIRED[:count]]
    for number in range(1, count - len(clauses) + 1):
        negative = ~nl.phrase(next(words))
        clauses.append(negative if number % _MIXED_EVERY else negative | nl.phrase(next(words)))
    return nl.all_of(*clauses)


def negatives(count: int) -> Formula:
    """Return a formula that forbids `count` words."""
    return nl.all_of(*(~nl.phrase(word) for word in itertools.islice(forbidden_words(), count)))
