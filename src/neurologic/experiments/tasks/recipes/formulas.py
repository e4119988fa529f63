"""What directions must say: every given ingredient or a generic name of it, and no other known ingredient.

Not forbidden are, among the known ingredients,

- what is part of a given one, or of one of its other names: "pepper" in "black pepper";
- a part of a given one: "lemon juice" where lemons are given (`kitchen_words.PARTS`);
- what the title says: nobody could write of oatmeal cookies without the word;
- everyday words (`everyday`), which are names of one word.

A known name in which another forbidden one stands needs no clause of its own: without "flour" there is no
"almond flour". Words are matched as everywhere in formulas, as whole words in any case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from neurologic.experiments.tasks.recipes.everyday import is_everyday
from neurologic.experiments.tasks.recipes.generic_names import generic_names
from neurologic.experiments.tasks.recipes.ingredient_lines import names_in
from neurologic.experiments.tasks.recipes.kitchen_words import PART_NAMES, PARTS
from neurologic.experiments.tasks.recipes.vocabulary import Vocabulary, parts_of
from neurologic.experiments.tasks.recipes.word_forms import Key, forms_of, key_of
from neurologic.logic import Formula, all_of, any_of


@dataclass(frozen=True)
class Ingredient:
    """A given ingredient.

    name      as the prompt has it: "olive oil"
    accepted  the phrases that count as it, its name first, singular and plural: olive oil, oil
    """

    name: str
    accepted: tuple[str, ...]


def ingredients_of(lines: Iterable[str], vocabulary: Vocabulary) -> tuple[Ingredient, ...]:
    """The known foods of a recipe's lines, each once; lines without any are left out."""
    found: dict[Key, list[str]] = {}
    for line in lines:
        for alternatives in names_in(line):
            foods = vocabulary.foods_in(alternatives)
            if foods:
                found.setdefault(key_of(foods[0]), []).extend(foods)
    return tuple(Ingredient(foods[0], tuple(_accepted(foods, vocabulary))) for foods in found.values())


def formula(ingredients: Sequence[Ingredient], title: str, vocabulary: Vocabulary) -> Formula:
    """The formula of a recipe."""
    required = [any_of(*ingredient.accepted) for ingredient in ingredients]
    negations = vocabulary.negations
    forbidden = [one for key in others(ingredients, title, vocabulary) for one in negations[key]]
    return all_of(*required, *forbidden)


def others(ingredients: Sequence[Ingredient], title: str, vocabulary: Vocabulary) -> list[Key]:
    """The known ingredients that are to be kept out, without those that hold another one of them."""
    allowed = allowed_parts([phrase for one in ingredients for phrase in one.accepted], title)
    # Only for names that share a word with what is given is the answer not the same for all recipes.
    words = {word for part in allowed if len(part) == 1 for word in part}
    concerned = dict.fromkeys(key for word in sorted(words) for key in vocabulary.with_word.get(word, ()))
    return [key for key in _kept_out(vocabulary) if key not in concerned] + [
        key
        for key in concerned
        if not is_allowed(key, allowed) and all(is_allowed(one, allowed) for one in vocabulary.inside[key])
    ]


@lru_cache(maxsize=4)
def _kept_out(vocabulary: Vocabulary) -> tuple[Key, ...]:
    """What is to be kept out where nothing is given."""
    nothing: frozenset[Key] = frozenset()
    return tuple(
        key
        for key in vocabulary.names
        if not is_allowed(key, nothing) and all(is_allowed(one, nothing) for one in vocabulary.inside[key])
    )


def allowed_parts(phrases: Iterable[str], title: str) -> frozenset[Key]:
    """All that stands in a given name, in one that may be said for it, or in the title."""
    return frozenset(part for text in (*phrases, title) for part in parts_of(key_of(text)))


def is_allowed(key: Key, allowed: frozenset[Key]) -> bool:
    """Whether a name is an everyday word, or says what is given or a part of it."""
    if is_everyday(key):
        return True
    while len(key) > 1 and (key[-1] in PARTS or key in PART_NAMES) and key not in allowed:
        key = key[:-1]
    return key in allowed


def _accepted(foods: Sequence[str], vocabulary: Vocabulary) -> Iterator[str]:
    names = [*foods, *(generic for food in foods for generic in generic_names(food, vocabulary))]
    written = (form for name in names for form in forms_of(name))
    yield from dict.fromkeys(written)
