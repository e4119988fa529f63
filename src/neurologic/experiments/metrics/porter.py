"""The Porter stemmer (Porter, 1980) with the small departures of ROUGE-1.5.5.

ROUGE's stemmer departs from the published algorithm, and this one follows it to give the same figures (nltk's
stems differ for words like "statement"):

- step 2 has "bli" → "ble" and "logi" → "log", as in the author's own later versions;
- step 4 removes "ment", "ent" and "ion" even after another suffix, or when a longer suffix could not be
  removed, where the paper tries the longest suffix only: "accidental" becomes "accid", and "agreement"
  "agreem".

Words must be in lower case. `metrics.rouge_words` handles irregular forms.
"""

from __future__ import annotations

import re
from functools import lru_cache

# A word is [C](VC)^m[V] with runs of consonants C and of vowels V; m is its measure. "y" is a vowel after a
# consonant; at the start of a word it is written "Y" here, which is in none of the classes of vowels.
_C = "[^aeiou][^aeiouy]*"
_V = "[aeiouy][aeiou]*"
_MEASURE_OVER_0 = re.compile(f"(?:{_C})?{_V}{_C}")
_MEASURE_IS_1 = re.compile(f"(?:{_C})?{_V}{_C}(?:{_V})?$")
_MEASURE_OVER_1 = re.compile(f"(?:{_C})?{_V}{_C}{_V}{_C}")
_HAS_VOWEL = re.compile(f"(?:{_C})?[aeiouy]")
_SHORT = re.compile(f"{_C}[aeiouy][^aeiouwxy]$")  # as in "hop", which was "hope" before "hoping"
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
    "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive",
    "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ou", "ism", "ate", "iti", "ous",
    "ive", "ize",
)  # fmt: skip


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a word in lower case.

    >>> [stem(word) for word in ("skiing", "happily", "relational", "agreement", "yelling")]
    ['ski', 'happili', 'relat', 'agreem', 'yell']
    """
    if len(word) < 3:
        return word
    if word[0] == "y":
        word = "Y" + word[1:]
    word = _plurals_and_participles(word)
    for endings in (_STEP_2, _STEP_3):
        word = _replaced(word, endings)
    word = _without_suffixes(word)
    word = _tidied(word)
    return "y" + word[1:] if word[0] == "Y" else word


def _plurals_and_participles(word: str) -> str:
    """Step 1: cats, caresses, agreed, hopping, happy."""
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and word[-2] != "s":
        word = word[:-1]
    if word.endswith("eed"):
        word = word[:-1] if _MEASURE_OVER_0.match(word[:-3]) else word
    else:
        word = _without_participle(word)
    if word.endswith("y") and _HAS_VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    return word


def _without_participle(word: str) -> str:
    ending = next((ending for ending in ("ed", "ing") if word.endswith(ending)), "")
    rest = word.removesuffix(ending)
    if not ending or not _HAS_VOWEL.match(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _DOUBLE.search(rest):
        return rest[:-1]
    return rest + "e" if _SHORT.match(rest) else rest


def _replaced(word: str, endings: dict[str, str]) -> str:
    """Steps 2 and 3: replace the longest of these endings by a shorter one."""
    ending = max((ending for ending in endings if word.endswith(ending)), key=len, default="")
    rest = word.removesuffix(ending)
    return rest + endings[ending] if ending and _MEASURE_OVER_0.match(rest) else word


def _without_suffixes(word: str) -> str:
    """Step 4, with ROUGE's departures."""
    longest = max((suffix for suffix in _STEP_4 if word.endswith(suffix)), key=len, default="")
    word = _without(word, longest)
    word = _without(word, "ment")
    if word.endswith("ent"):
        return _without(word, "ent")
    return _without(word, "ion") if word.endswith(("sion", "tion")) else word


def _without(word: str, suffix: str) -> str:
    rest = word.removesuffix(suffix)
    return rest if _MEASURE_OVER_1.match(rest) else word


def _tidied(word: str) -> str:
    """Step 5: remove a final e, and one of a double l."""
    if word.endswith("e"):
        rest = word[:-1]
        if _MEASURE_OVER_1.match(rest) or (_MEASURE_IS_1.match(rest) and not _SHORT.match(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _MEASURE_OVER_1.match(word) else word
