"""The slots of both domains: the words that name them, from the tables of `words.toml`."""

from __future__ import annotations

from collections.abc import Mapping

from neurologic.experiments.data_files import word_tables

TABLES = word_tables(__package__)
PHRASES: Mapping[str, tuple[str, ...]] = TABLES["phrases"]

NAMES: Mapping[str, tuple[str, ...]] = {
    **TABLES["names"],
    "near": TABLES["names"]["area"] + TABLES["names"]["near"],
}
_NOUNS: Mapping[str, tuple[str, ...]] = {**TABLES["nouns"], "near": TABLES["nouns"]["area"]}

# Slots whose values are yes and no.
YES_OR_NO = ("dogsallowed", "kidsallowed", "hasinternet", "acceptscreditcards")

# Slots that can have several values at once: "hayes valley or chinatown". In names and addresses, such words
# belong to the value.
_WITH_ALTERNATIVES = ("area", "near", "pricerange", "food", "goodformeal", "postcode")


def names_of(slot: str) -> tuple[str, ...]:
    """Return the words that name a slot; for an unknown one, its own name."""
    return NAMES.get(slot, (slot.replace("_", " "),))


def nouns_of(slot: str) -> list[tuple[str, str]]:
    """Return the nouns that name a slot, singular and plural.

    Yes/no slots have no noun: "any dogs" are dogs.

    >>> nouns_of("goodformeal"), nouns_of("view"), nouns_of("hasinternet")
    ([('meal', 'meals')], [('view', 'views')], [])
    """
    nouns = _NOUNS.get(slot, ()) if slot in NAMES else (slot.replace("_", " "),)
    return [(noun, f"{noun}es" if noun.endswith("s") else f"{noun}s") for noun in nouns]


def alternatives(slot: str, value: str) -> tuple[str, ...]:
    """Return the values that a value consists of.

    >>> alternatives("area", "soma or nob hill"), alternatives("name", "fresca and zarzuela")
    (('soma', 'nob hill'), ('fresca and zarzuela',))
    """
    return tuple(value.split(" or ")) if slot in _WITH_ALTERNATIVES else (value,)
