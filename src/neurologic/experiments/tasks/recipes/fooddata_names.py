"""Names of food from FoodData Central, whose descriptions the package `ingredient-parser-nlp` includes.

The package (MIT, version 2.9.1) has 11,105 descriptions such as "Cheese, cheddar" and "Spices, basil, dried".
A description gives

- the words before its first comma: "cheese";
- if these are a class ("Spices", "Fish", "Cheese"), the words after the comma: "basil", "cheddar";
- if they are a single word, both in reverse order: "cheddar cheese", "olive oil".

`ingredient_lines` cleans them ("Onions, raw" is onions). We leave out names of more than three words, brands
(in capitals) and ready meals, and read the package's file without importing its parser.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from neurologic.experiments.metrics import optional_packages
from neurologic.experiments.tasks.recipes.ingredient_lines import names_in
from neurologic.experiments.tasks.recipes.kitchen_words import TABLES
from neurologic.experiments.tasks.recipes.word_forms import Key, key_of, words_of

PACKAGE, EXTRA = "ingredient-parser-nlp", "recipes"
_MODULE, _FILE = "ingredient_parser", "en/data/fdc_ingredients.csv.gz"
LONGEST = 3  # words
_CLASSES, _READY = TABLES["fooddata"]["classes"], TABLES["fooddata"]["ready"]


def food_names() -> frozenset[Key]:
    """Return the names by key (see `word_forms`); raise `UnavailableError` without the package."""
    return _food_names(_path())


def version() -> str:
    """Return the version of the package, for signatures."""
    return optional_packages.version(PACKAGE, EXTRA)


@lru_cache(maxsize=1)
def _food_names(path: Path) -> frozenset[Key]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return frozenset(
            key
            for row in csv.DictReader(file)
            if not any(kind in row["category"].lower() for kind in _READY)
            for name in names_of(row["description"])
            if 0 < len(key := key_of(name)) <= LONGEST and any(len(word) > 2 for word in key)
        )


def names_of(description: str) -> Iterator[str]:
    """Yield the names in a description.

    >>> list(names_of("Spices, basil, dried")), list(names_of("Oil, olive, salad or cooking"))
    (['spices', 'basil', 'basil spices'], ['oil', 'olive oil'])
    """
    first, *others = description.split(", ")
    yield from _cleaned(first)
    second = others[0] if others else ""
    if not second or len(words_of(second)) > 2:
        return
    if "-".join(words_of(first)) in _CLASSES:
        yield from _cleaned(second)
    if len(words_of(first)) == 1 and list(_cleaned(second)):
        yield from _cleaned(f"{second} {first}")


def _cleaned(text: str) -> Iterator[str]:
    if any(word.isupper() and len(word) > 1 for word in text.split()):
        return  # a brand
    for alternatives in names_in(text):
        yield from alternatives


def _path() -> Path:
    return optional_packages.package_file(_MODULE, _FILE, EXTRA, PACKAGE)
