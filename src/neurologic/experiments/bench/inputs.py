"""The words and texts of the workloads: concepts, a story for long prompts, words to require and to forbid.

Concepts, story and everyday words are in `inputs.toml`. The forbidden words are nouns of lemminflect's
dictionary, drawn with a fixed seed: common and rare ones, of one token or several, the same for every model.
"""

from __future__ import annotations

import functools
import gzip
import random
from collections.abc import Sequence

from neurologic.experiments.data_files import tables
from neurologic.logic.inflection import inflections

_TABLES = tables(__package__, "inputs.toml")
CONCEPTS = tuple(tuple(concepts.split()) for concepts in _TABLES["concepts"].split(","))
STORY = tuple(_TABLES["story"].splitlines())

_SEED = 2021  # the paper's year; any other would do
_SHORTEST, _LONGEST = 4, 10  # letters


def common_words() -> tuple[str, ...]:
    """Return everyday words for formulas that were never seen before; none of them is a concept."""
    return tuple(_TABLES["words"].split())


class Deck:
    """Deals words like cards: none twice before all have been dealt, in an order that the seed decides."""

    def __init__(self, words: Sequence[str], seed: int) -> None:
        self._words = tuple(words)
        self._chance = random.Random(seed)
        self._left: list[str] = []

    def deal(self, count: int) -> tuple[str, ...]:
        """Return `count` different words."""
        if len(self._left) < count:
            self._left = self._chance.sample(self._words, len(self._words))
        dealt, self._left = self._left[:count], self._left[count:]
        return tuple(dealt)


def concept_words() -> frozenset[str]:
    """Return every form of every concept; no formula forbids any of them."""
    words = (concept for concepts in CONCEPTS for concept in concepts)
    return frozenset(form for word in words for form in inflections(word, "any"))


@functools.cache
def forbidden_words() -> tuple[str, ...]:
    """Return the words that formulas forbid, in the fixed order in which they take them."""
    words = sorted(_nouns() - concept_words())
    random.Random(_SEED).shuffle(words)
    return tuple(words)


def _nouns() -> set[str]:
    """Return the dictionary's nouns of 4 to 10 lower-case letters."""
    import lemminflect

    nouns = set()
    with gzip.open(lemminflect.config.inflection_lu_fn, "rt", encoding="utf-8") as lines:
        for line in lines:
            word, category, _ = line.split(",", 2)
            plain = word.isascii() and word.isalpha() and word.islower()
            if category == "noun" and plain and _SHORTEST <= len(word) <= _LONGEST:
                nouns.add(word)
    return nouns
