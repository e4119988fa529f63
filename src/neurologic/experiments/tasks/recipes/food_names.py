"""The food names of `ingredient-parser-nlp`: descriptions of FoodData Central, as words that a text can hold.

The package (MIT, version 2.9.1) carries 11,105 descriptions such as "Cheese, cheddar" and "Spices, basil,
dried". A description gives

- the words before its first comma: "cheese";
- where these are a class ("Spices", "Fish", "Cheese"), the words after the comma: "basil", "cheddar";
- where they are one word, both the other way round: "cheddar cheese", "olive oil".

They are cleaned as lines of ingredients are ("Onions, raw" is onions), and names of more than three words, of
brands (in capitals) and of ready meals are left out. The package is not imported: its parser is not needed,
only its file.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from neurologic.experiments.metrics import requirements
from neurologic.experiments.tasks.recipes.ingredient_lines import names_in
from neurologic.experiments.tasks.recipes.word_forms import Key, key_of, words_of
from neurologic.experiments.tasks.recipes.word_tables import word_set

PACKAGE, EXTRA = "ingredient-parser-nlp", "recipes"
_MODULE, _FILE = "ingredient_parser", "en/data/fdc_ingredients.csv.gz"
LONGEST = 3  # words

# Before the comma stands no food, or one that is said without it as well.
_CLASSES = word_set(
    """
    spices fish nuts seeds crustaceans mollusks cheese sausage game-meat leavening-agents
    alcoholic-beverage alcoholic-beverages sweeteners vegetables herbs
    """
)
# What is sold ready to eat has names like sentences.
_READY = (
    "baby food", "fast food", "restaurant", "meals", "formula", "mixed dishes", "sandwich", "soup", "pizza",
    "infant",
)  # fmt: skip


def food_names() -> frozenset[Key]:
    """The names by key (see `word_forms`). Raises `UnavailableError` where the package is not installed."""
    return _food_names(_path())


def version() -> str:
    """The version of the package, for signatures."""
    return requirements.version(PACKAGE, EXTRA)


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
    """The names in a description.

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
    return requirements.package_file(_MODULE, _FILE, EXTRA, PACKAGE)
