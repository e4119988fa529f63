"""Prompts and formulas that several scenarios share."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import neurologic as nl
from neurologic.experiments.bench.inputs import forbidden_words
from neurologic.logic import Formula

# Required words of the formulas with many clauses. They are concepts, so no formula forbids them.
_REQUIRED = ("dog", "child", "ball", "catch", "beach")
REQUIRED_PROMPT = "Write a short story about a child and a dog that catches a ball on the beach."
_MIXED_EVERY = 5  # every fifth clause that is not positive is mixed


def instruction(concepts: Sequence[str], what: str = "one sentence") -> str:
    """Ask for a text with these words.

    >>> instruction(("dog", "frisbee", "catch"))
    'Write one sentence with the words dog, frisbee and catch.'
    """
    *others, last = concepts
    return f"Write {what} with the words {', '.join(others)} and {last}."


def all_forms(concepts: Sequence[str]) -> Formula:
    """Require every concept, in any of its forms."""
    return nl.all_of(*map(nl.inflect, concepts))


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


def negatives(count: int, start: int = 0) -> Formula:
    """Return a formula that forbids `count` words, from place `start` of the list on."""
    words = itertools.islice(forbidden_words(), start, start + count)
    return nl.all_of(*(~nl.phrase(word) for word in words))
