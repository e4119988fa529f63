"""The word tables of recipes, from `words.toml`, which says what each of them is for."""

from __future__ import annotations

from collections.abc import Mapping

from neurologic.experiments.data_files import word_tables

TABLES = word_tables(__package__)

# Words for reading lines of ingredients: measures, descriptions, forms.
KITCHEN: Mapping[str, frozenset[str]] = {name: frozenset(words) for name, words in TABLES["kitchen"].items()}
PARTS = KITCHEN["parts"]
PART_NAMES = KITCHEN["part_names"]
OTHER_ENDS = KITCHEN["other_ends"]
PREPARATIONS = PARTS | KITCHEN["preparations"]

# Everyday words that are also names of food, and a few such names of several words.
EVERYDAY = frozenset(word for name in ("by_rule", "by_hand", "names") for word in TABLES["everyday"][name])


def is_everyday(key: tuple[str, ...]) -> bool:
    """Tell whether a name, as its words in the singular, is an everyday word."""
    return " ".join(key) in EVERYDAY
