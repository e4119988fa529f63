"""The formula of a recipe: every given ingredient, or a generic name of it, and no other known ingredient.

It does not forbid these known ingredients:

- names inside a given one, or inside one of its other names: "pepper" in "black pepper";
- parts of a given one: "lemon juice" if lemons are given (the table `parts` of `words.toml`);
- names in the title: nobody could write of oatmeal cookies without the word;
- everyday words (the table `everyday`).

A known name that contains another forbidden one needs no clause of its own: without "flour" there is no
"almond flour". Phrases match as in all formulas, as whole words in any case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from neurologic.experiments.tasks.recipes.generic_names import generic_names
from neurologic.experiments.tasks.recipes.ingredient_lines import names_in
from neurologic.experiments.tasks.recipes.ingredient_vocabulary import Vocabulary, parts_of
from neurologic.experiments.tasks.recipes.kitchen_words import PART_NAMES, PARTS, is_everyday
from neurologic.experiments.tasks.recipes.word_forms import Key, forms_of, key_of
from neurologic.logic import Formula, all_of, any_of


@dataclass(frozen=True)
class Ingredient:
    """A given ingredient.

    name      its name in the prompt: "olive oil"
    accepted  the phrases that count as it, its name first, singular and plural: olive oil, oil
    """

    name: str
    accepted: tuple[str, ...]


def ingredients_of(lines: Iterable[str], vocabulary: Vocabulary) -> tuple[Ingredient, ...]:
    """Return the known foods of a recipe's lines, each once."""
    found: dict[Key, list[str]] = {}
    for line in lines:
        for alternatives in names_in(line):
            foods = vocabulary.foods_in(alternatives)
            if foods:
                found.setdefault(key_of(foods[0]), []).extend(foods)
    return tuple(Ingredient(foods[0], _accepted(foods, vocabulary)) for foods in found.values())


def formula(ingredients: Sequence[Ingredient], title: str, vocabulary: Vocabulary) -> Formula:
    """Return the formula of a recipe."""
    required = [any_of(*ingredient.accepted) for ingredient in ingredients]
    names = forbidden_names(ingredients, title, vocabulary)
    forbidden = [negation for key in names for negation in vocabulary.negations[key]]
    return all_of(*required, *forbidden)


def forbidden_names(ingredients: Sequence[Ingredient], title: str, vocabulary: Vocabulary) -> list[Key]:
    """Return the known ingredients that a text must not name, without those that contain another of them."""
    phrases = [phrase for ingredient in ingredients for phrase in ingredient.accepted]
    allowed = allowed_parts(phrases, title)
    # For names that share no word with a given one, the answer is the same for all recipes.
    words = sorted(word for part in allowed if len(part) == 1 for word in part)
    concerned = dict.fromkeys(key for word in words for key in vocabulary.with_word.get(word, ()))
    always = (key for key in _always_forbidden(vocabulary) if key not in concerned)
    return [*always, *_shortest_forbidden(concerned, allowed, vocabulary)]


@lru_cache(maxsize=4)
def _always_forbidden(vocabulary: Vocabulary) -> tuple[Key, ...]:
    """Return the names that a text must not have if nothing is given."""
    return tuple(_shortest_forbidden(vocabulary.names, frozenset(), vocabulary))


def _shortest_forbidden(
    keys: Iterable[Key], allowed: frozenset[Key], vocabulary: Vocabulary
) -> Iterator[Key]:
    for key in keys:
        if not is_allowed(key, allowed) and all(is_allowed(part, allowed) for part in vocabulary.inside[key]):
            yield key


def allowed_parts(phrases: Iterable[str], title: str) -> frozenset[Key]:
    """Return all runs of words in the accepted phrases and in the title."""
    return frozenset(part for text in (*phrases, title) for part in parts_of(key_of(text)))


def is_allowed(key: Key, allowed: frozenset[Key]) -> bool:
    """Tell whether a name is an everyday word, a given ingredient, or a part of one."""
    if is_everyday(key):
        return True
    while len(key) > 1 and (key[-1] in PARTS or " ".join(key) in PART_NAMES) and key not in allowed:
        key = key[:-1]
    return key in allowed


def _accepted(foods: Sequence[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    names = [*foods, *(generic for food in foods for generic in generic_names(food, vocabulary))]
    return tuple(dict.fromkeys(form for name in names for form in forms_of(name)))
