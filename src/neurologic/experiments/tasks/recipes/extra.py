"""Extra ingredients: foods that a text names and that were not given, over the number of given ones; a mean.

What counts as a food is not what the formula forbids (FlavorGraph's names), or there would be none by
construction: it is what `food_names` has, from another source. The longest name at a place of the text
counts, as whole words in any case, singular or plural, and each name once. It is no extra

- if it is part of a given ingredient, of a name that may be said for it, or of the title;
- if it is a part of a given ingredient, or a cut of it: egg whites, chicken thighs;
- if it is an everyday word.

These are the rules of the formula (`formulas.is_allowed`), the same for every system. What a word means in
its sentence is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from neurologic.experiments.metrics.base import Corpus, Goal, Mean, Numbers
from neurologic.experiments.tasks.recipes import food_names
from neurologic.experiments.tasks.recipes.coverage import Accepted, digest_of
from neurologic.experiments.tasks.recipes.formulas import allowed_parts, is_allowed
from neurologic.experiments.tasks.recipes.word_forms import Key, key_of

_STOPS = re.compile(r"[^\w\s'’-]+")  # no name goes on beyond a comma or a full stop


@dataclass(frozen=True)
class ExtraIngredients(Mean):
    """Extra with rows (extra over given, 1). Lower is better, and it may be above 100.

    accepted  per input
    titles    per input
    """

    accepted: tuple[Accepted, ...] = field(default=(), repr=False)
    titles: tuple[str, ...] = field(default=(), repr=False)
    name: ClassVar[str] = "extra"
    title: ClassVar[str] = "Extra"
    goal: ClassVar[Goal] = Goal.LOW

    def statistics(self, texts: Corpus) -> Numbers:
        known = food_names.food_names()
        rows = []
        for output, accepted, title in zip(texts.outputs, self.accepted, self.titles, strict=True):
            rows.append((len(extra_foods(output, accepted, title, known)) / max(1, len(accepted)), 1.0))
        return np.array(rows, dtype=np.float64)

    def settings(self) -> str:
        digest = digest_of((self.accepted, self.titles))
        return f"mean:inputs|foods:{food_names.PACKAGE}-{food_names.version()}|names:{digest}"


def extra_foods(text: str, accepted: Sequence[Sequence[str]], title: str, known: frozenset[Key]) -> list[Key]:
    """The foods of a text that were not given, each once, in their order."""
    allowed = allowed_parts([phrase for phrases in accepted for phrase in phrases], title)
    found = dict.fromkeys(foods_in(text, known))
    return [key for key in found if not is_allowed(key, allowed)]


def foods_in(text: str, known: frozenset[Key]) -> list[Key]:
    """The foods that a text names, the longest name at each place."""
    found = []
    for piece in _STOPS.split(text):
        words, place = key_of(piece), 0
        while place < len(words):
            longest = min(food_names.LONGEST, len(words) - place)
            here = (words[place : place + width] for width in range(longest, 0, -1))
            food = next((key for key in here if key in known), None)
            if food is not None:
                found.append(food)
            place += 1 if food is None else len(food)
    return found
