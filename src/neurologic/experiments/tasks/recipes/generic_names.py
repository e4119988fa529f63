"""Generic names of an ingredient: "oil" for olive oil, "vegetable" for onions.

In this order:

1. The ends of its name that are known foods themselves, down to the last word: bell pepper and pepper for a
   red bell pepper.
2. If the last word is a part or a preparation (chicken breast, garlic powder, egg yolks), the words before
   it: chicken, garlic, egg.
3. Synonyms (scallions, green onions), and its family (spaghetti: pasta), from the table `generic`.
4. The kitchen's word for its FlavorGraph category (Fruit: fruit), except in the wrong entries that we saw.

Everyday words are not generic names. Names are in the singular here; formulas add the plurals.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from neurologic.experiments.tasks.recipes.ingredient_vocabulary import Vocabulary
from neurologic.experiments.tasks.recipes.kitchen_words import PARTS, PREPARATIONS, TABLES, is_everyday
from neurologic.experiments.tasks.recipes.word_forms import Key, key_of

_TABLES = TABLES["generic"]
_SAID_AFTER = PARTS.union(_TABLES["said_after"])

# FlavorGraph's categories that have a name in kitchens.
_CATEGORIES = {
    "Fruit": "fruit",
    "Meat/Animal Product": "meat",
    "Plant/Vegetable": "vegetable",
    "Seafood": "seafood",
}


@lru_cache(maxsize=65536)
def generic_names(name: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return other names for a known food ("cheddar cheese"), without its own."""
    found = [
        *_ends(name, vocabulary),
        *_synonyms(name),
        *_families(name),
        *_categories(name, vocabulary),
    ]
    own = key_of(name)
    return tuple(
        other
        for other in dict.fromkeys(found)
        if (key_of(other) != own or other not in name)
        # "roll" does not name crescent rolls
        and (other in _TABLES["staples"] or not is_everyday(key_of(other)))
    )


def _ends(name: str, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the known ends of a name, and the known names before its parts and preparations."""
    words = name.split()
    if any(" ".join(key_of(name)[-count:]) in _TABLES["misleading"] for count in (2, 3)):
        return
    for start in range(1, len(words)):
        end = " ".join(words[start:])
        if key_of(end) in vocabulary.names and not (start == len(words) - 1 and _is_preparation(words[-1])):
            yield end
    for end_of_first in range(len(words) - 1, 0, -1):
        if not _is_preparation(words[end_of_first]):
            break
        first = " ".join(words[:end_of_first])
        if key_of(first) in vocabulary.names:
            yield first
            yield from _ends(first, vocabulary)


def _is_preparation(word: str) -> bool:
    return not PREPARATIONS.isdisjoint(key_of(word)[-1:])


def _synonyms(name: str) -> Iterator[str]:
    own = key_of(name)
    for group in _TABLES["synonyms"]:
        if own in map(key_of, group):
            yield from group


def _families(name: str) -> Iterator[str]:
    own = key_of(name)
    for family in _TABLES["families"]:
        if any(_is_in(member, own) for member in _members(family)):
            yield family


@lru_cache(maxsize=64)
def _members(family: str) -> tuple[Key, ...]:
    return tuple(map(key_of, _TABLES["families"][family]))


def _is_in(member: Key, own: Key) -> bool:
    """Tell whether a name is a member's: "lemon thyme", "thyme leaves", "spaghetti noodles"."""
    if " ".join(member) in _TABLES["by_itself"]:
        return own == member
    start, rest = own[: len(member)], own[len(member) :]
    return own[-len(member) :] == member or (start == member and all(word in _SAID_AFTER for word in rest))


def _categories(name: str, vocabulary: Vocabulary) -> Iterator[str]:
    own = key_of(name)
    ends = (own[start:] for start in range(len(own)))
    category = next((vocabulary.categories[end] for end in ends if end in vocabulary.categories), None)
    if category in _CATEGORIES and not _is_exempt(own):
        yield _CATEGORIES[category]
        if category == "Seafood" and own[-1] not in _TABLES["no_fish"]:
            yield "fish"


def _is_exempt(own: Key) -> bool:
    """Tell whether a food does not go by the name of its category."""
    if own[-1] in _TABLES["not_of_category"] or " ".join(own[-2:]) in _TABLES["peppers"]:
        return True
    return any(_is_in(member, own) for member in _members("herb"))
