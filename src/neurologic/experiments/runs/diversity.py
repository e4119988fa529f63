"""Measure how varied and how repetitive the words of texts are: distinct-n and rep-n.

Words count as they are written: no lemmas, no synonyms. Scripts without spaces count by character. The
function words that `repetition` can leave out are English; in other languages they count like all words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

from neurologic.logic.characters import is_spaceless, is_word_character

_JOINERS = "'-"  # part of a word between letters: "don't", "well-known"

_FUNCTION_WORDS = """
a an the this that these those and or but nor so as if than then of in on at to by for from with
into onto over under up down out off about through it its it's he his him she her hers they them
their we us our you your i me my is are was were be been being am do does did has have had will
would can could not there here who which what when where while
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


def words(text: str) -> list[str]:
    """Return the words of a text in lower case.

    A possessive 's is a word of its own, as in the Penn Treebank, so that "dog's" repeats "dog".

    >>> words("The dog's ball -- a well-known ball!")
    ['the', 'dog', "'s", 'ball', 'a', 'well-known', 'ball']
    """
    text = unicodedata.normalize("NFC", text).lower().replace("’", "'")
    spaced = "".join(_spaced(character) for character in text)
    found: list[str] = []
    for run in spaced.split():
        word = run.strip(_JOINERS)
        stem = word.removesuffix("'s")
        found += [part for part in (stem, word[len(stem) :]) if part]
    return found


def _spaced(character: str) -> str:
    if is_word_character(character) or character in _JOINERS:
        return character
    return f" {character} " if is_spaceless(character) and character.isalpha() else " "


def ngrams(items: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """Return all runs of n items, repeats included."""
    return [tuple(items[start : start + n]) for start in range(len(items) - n + 1)]


def distinct(texts: Collection[str], n: int) -> float | None:
    """Return distinct-n (Li et al., NAACL 2016): different n-grams of words / n-grams, of all texts together.

    None if there are no n-grams. It falls with the number of words, so compare sets of equally many texts
    only. Here 5 of 6 words are different:

    >>> round(distinct(["A dog runs.", "A cat sleeps."], 1), 3)
    0.833
    """
    found = [ngram for text in texts for ngram in ngrams(words(text), n)]
    return len(set(found)) / len(found) if found else None


def repetition(text: str, n: int, without: Collection[str] = ()) -> float:
    """Return rep-n: 1 − different n-grams / n-grams inside one text, without the words of `without`.

    It is 0 if nothing occurs twice, as in a text too short for an n-gram. Here the content words are cat,
    sleeps, dog, sleeps: one of the four repeats an earlier one, no pair of words does.

    >>> repetition("A cat sleeps and a dog sleeps", 1, without=FUNCTION_WORDS)
    0.25
    >>> repetition("A cat sleeps and a dog sleeps", 2)
    0.0
    """
    found = ngrams([word for word in words(text) if word not in without], n)
    return 1 - len(set(found)) / len(found) if found else 0.0
