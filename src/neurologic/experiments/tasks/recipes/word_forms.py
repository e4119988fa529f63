"""Singular and plural of names of food, and a key that is the same for both.

English only, with lemminflect's dictionary and rules (`neurologic.logic.inflection`). Names that differ in
accents, case, hyphens or apostrophes have the same key, and so do the spellings chile, chili and chilli.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import TypeAlias

from neurologic.experiments.tasks.recipes.kitchen_words import TABLES
from neurologic.logic import inflections

Key: TypeAlias = tuple[str, ...]  # the words of a name in the singular

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*", re.UNICODE)
_FORMS = TABLES["forms"]
_UNCHANGED = dict(zip(_FORMS["unchanged"], _FORMS["unchanged"], strict=True))
_SPELLINGS = {other: word for word, others in _FORMS["spellings"].items() for other in others}
_SINGULARS = _UNCHANGED | {form: word for word, plurals in _FORMS["plurals"].items() for form in plurals}
_PLURALS = _UNCHANGED | {"leaf": "leaves", "half": "halves"}
_ACCENTS = {word: (word, *accented) for word, accented in _FORMS["accents"].items()}
_NO_NOUNS = ("is", "this")


@lru_cache(maxsize=65536)
def key_of(name: str) -> Key:
    """Return the words of a name, each in the singular.

    >>> key_of("Jalapeño Peppers"), key_of("all-purpose flour"), key_of("confectioners' sugar")
    (('jalapeno', 'pepper'), ('all', 'purpose', 'flour'), ('confectioner', 'sugar'))
    """
    return tuple(singular(word) for word in words_of(name))


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case, without accents; hyphens separate words."""
    return _WORD.findall(without_accents(name.casefold()))


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """Return the singular of a noun in lower case, and any other word as it is.

    >>> [singular(word) for word in ("tomatoes", "leaves", "molasses", "radish")]
    ['tomato', 'leaf', 'molasses', 'radish']
    """
    word = re.sub(r"['’]s?$", "", word)
    if word in _SINGULARS:
        return _SINGULARS[word]
    if word.endswith("s") and not (word.endswith(("ss", "us")) or word in _NO_NOUNS):
        # The singular is the shortest form; lemminflect lists the word itself first.
        word = min(inflections(word, "noun"), key=lambda form: (len(form), form))
    return _SPELLINGS.get(word, word)


def forms_of(name: str) -> tuple[str, ...]:
    """Return the name as written, then its singular and plural; the last word is the one that changes.

    >>> forms_of("onions"), forms_of("bay leaf")
    (('onions', 'onion'), ('bay leaf', 'bay leaves'))
    """
    return _forms_of(" ".join(name.casefold().split()))


@lru_cache(maxsize=65536)
def _forms_of(name: str) -> tuple[str, ...]:
    start, space, last = name.rpartition(" ")
    if not last.isalpha():
        return (name,)
    noun = _SINGULARS.get(last, last)
    forms = [last, noun, *([_PLURALS[noun]] if noun in _PLURALS else inflections(noun, "noun"))]
    names = [start + space + form for form in forms]
    return tuple(dict.fromkeys(spelling for name in names for spelling in _spellings(name)))


def _spellings(name: str) -> Iterator[str]:
    """Yield the name as written, then with and without accents."""
    yield name
    words = [_ACCENTS.get(word, (word,)) for word in without_accents(name).split(" ")]
    yield from (" ".join(choice) for choice in product(*words))


def without_accents(text: str) -> str:
    """Return the text with é as e: recipes write jalapeño either way."""
    parts = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(mark for mark in parts if not unicodedata.combining(mark)))
