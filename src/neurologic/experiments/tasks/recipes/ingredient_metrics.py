"""Metrics of recipes: coverage of the given ingredients, and extra ones.

Coverage is the share of the given ingredients that a text names, as a mean over the texts. The same phrases
count that the formula accepts: an ingredient's name or a generic one, singular or plural, as a whole word in
any case. So a text that satisfies its formula covers all; the metric tells how far texts without a formula
get. It does not look at what the text does with an ingredient.

Extra is the number of foods that a text names and nobody gave, over the number of given ones, as a mean. If
foods were the names that the formula forbids (FlavorGraph's), there would be none by construction; so they
come from another source, `fooddata_names`. The longest name at a place counts, as whole words in any case,
singular or plural, and each name once. A food is not extra

- if it appears in a given ingredient, in a name accepted for it, or in the title;
- if it is a part or a cut of a given ingredient: egg whites, chicken thighs;
- if it is an everyday word.

These are the rules of the formula (`formulas.is_allowed`), the same for every system. The metric does not
look at what a word means in its sentence.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

import numpy as np

from neurologic.experiments.metrics.base import Corpus, Goal, Mean, Numbers
from neurologic.experiments.tasks.recipes import fooddata_names
from neurologic.experiments.tasks.recipes.formulas import allowed_parts, is_allowed
from neurologic.experiments.tasks.recipes.word_forms import Key, key_of
from neurologic.logic import occurs

AcceptedPhrases: TypeAlias = tuple[tuple[str, ...], ...]  # for each ingredient of an input

_STOPS = re.compile(r"[^\w\s'’-]+")  # no name continues past a comma or a full stop


@dataclass(frozen=True)
class IngredientCoverage(Mean):
    """Coverage with rows (share of the ingredients, 1).

    accepted  accepted phrases per input
    """

    accepted: tuple[AcceptedPhrases, ...] = field(default=(), repr=False)
    name: ClassVar[str] = "coverage"
    title: ClassVar[str] = "Coverage"

    def statistics(self, texts: Corpus) -> Numbers:
        rows = []
        for output, ingredients in zip(texts.outputs, self.accepted, strict=True):
            named = [any(occurs(phrase, output) for phrase in phrases) for phrases in ingredients]
            rows.append((sum(named) / len(named), 1.0))
        return np.array(rows, dtype=np.float64)

    def settings(self) -> str:
        return f"mean:inputs|match:word|case:fold|names:{_digest(self.accepted)}"


@dataclass(frozen=True)
class ExtraIngredients(Mean):
    """Extra with rows (extra over given, 1). Lower is better, and it may be above 100.

    accepted  accepted phrases per input
    titles    title per input
    """

    accepted: tuple[AcceptedPhrases, ...] = field(default=(), repr=False)
    titles: tuple[str, ...] = field(default=(), repr=False)
    name: ClassVar[str] = "extra"
    title: ClassVar[str] = "Extra"
    goal: ClassVar[Goal] = Goal.LOW

    def statistics(self, texts: Corpus) -> Numbers:
        known = fooddata_names.food_names()
        rows = []
        for output, accepted, title in zip(texts.outputs, self.accepted, self.titles, strict=True):
            rows.append((len(extra_foods(output, accepted, title, known)) / len(accepted), 1.0))
        return np.array(rows, dtype=np.float64)

    def settings(self) -> str:
        digest = _digest((self.accepted, self.titles))
        return f"mean:inputs|foods:{fooddata_names.PACKAGE}-{fooddata_names.version()}|names:{digest}"


def extra_foods(text: str, accepted: Sequence[Sequence[str]], title: str, known: frozenset[Key]) -> list[Key]:
    """Return the foods of a text that nobody gave, each once, in their order."""
    allowed = allowed_parts([phrase for phrases in accepted for phrase in phrases], title)
    return [key for key in dict.fromkeys(foods_in(text, known)) if not is_allowed(key, allowed)]


def foods_in(text: str, known: frozenset[Key]) -> list[Key]:
    """Return the foods that a text names, the longest name at each place."""
    found = []
    for piece in _STOPS.split(text):
        words, place = key_of(piece), 0
        while place < len(words):
            longest = min(fooddata_names.LONGEST, len(words) - place)
            here = (words[place : place + width] for width in range(longest, 0, -1))
            food = next((key for key in here if key in known), None)
            if food is not None:
                found.append(food)
            place += 1 if food is None else len(food)
    return found


def _digest(names: object) -> str:
    """Return eight hexadecimal digits that change with the names."""
    return hashlib.sha256(repr(names).encode()).hexdigest()[:8]
