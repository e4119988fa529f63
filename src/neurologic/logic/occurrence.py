"""The definition of "a phrase occurs in a text", which all other modules must agree with.

A phrase may appear at several places of a text, which may overlap; it occurs if it appears at `times` places,
one by default. `occurs` is deliberately plain. The check of finished texts, the final verification of every
generated text, and the oracles of the tests all call it; the automaton in `neurologic.matching` is fast and
must agree with it on every text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from neurologic.errors import FormulaError
from neurologic.logic.characters import is_word_character, normalise, number_goes_on

if TYPE_CHECKING:
    from neurologic.logic.formula import Phrase


def occurs(phrase: Phrase | str, text: str, *, before: str = "") -> bool:
    """Return D(a, y): whether `phrase` occurs in `text`, as often as it must.

    `before` is the text directly before (the end of a raw prompt). It can deny a word boundary at the
    start of `text`, but `occurs` never finds a phrase in it.

    >>> occurs("dog", "The dog's bone"), occurs("car", "a carpet"), occurs("8%", "3.8%")
    (True, False, False)
    >>> from neurologic.logic import phrase
    >>> [occurs(phrase("dog", times=times), "Dog eats dog.") for times in (1, 2, 3)]
    [True, True, False]
    """
    return places(phrase, text, before=before) >= (1 if isinstance(phrase, str) else phrase.times)


def places(phrase: Phrase | str, text: str, *, before: str = "") -> int:
    """Return at how many places `phrase` appears in `text`.

    >>> places("1 1", "1 1 1 and 11")
    2
    """
    if isinstance(phrase, str):
        from neurologic.logic.formula import Phrase

        phrase = Phrase(phrase)
    if phrase.match == "tokens":
        raise FormulaError(
            f'{phrase} is matched on token ids (match="tokens"), so it cannot be looked up in a text; '
            'use match="word" or match="substring"'
        )
    exact = phrase.case == "exact"
    searched = _normalised_text(text, exact)
    if _normalised_phrase(phrase.text, exact) not in searched:
        return 0  # as nearly always, with many phrases
    return sum(1 for _ in starts(phrase, searched, before=before))


# A report looks for many phrases in one text, and for the same phrases in many texts.
@lru_cache(maxsize=4)
def _normalised_text(text: str, exact: bool) -> str:
    return normalise(text, exact_case=exact)


@lru_cache(maxsize=4096)
def _normalised_phrase(text: str, exact: bool) -> str:
    return normalise(text, exact_case=exact)


def starts(
    phrase: Phrase, searched: str, *, before: str = "", after: str = "", exact: bool | None = None
) -> Iterator[int]:
    """Yield where `phrase` starts in a normalised text, but for places inside of its exception.

    before, after  what surrounds the text: it can deny a boundary, but holds no part of the phrase
    exact          whether the text has kept its case; by default as the phrase needs it
    """
    found = _all_starts(phrase, searched, before, after, exact)
    longer = phrase.exception
    if longer is None:
        return found
    keeps_case = phrase.case == "exact" if exact is None else exact
    length, longer_length = (len(normalise(p.text, exact_case=keeps_case)) for p in (phrase, longer))
    excepted = list(_all_starts(longer, searched, before, after, exact))

    def is_excepted(start: int) -> bool:
        first = bisect_left(excepted, start + length - longer_length)  # the first that ends no earlier
        return first < len(excepted) and excepted[first] <= start

    return (start for start in found if not is_excepted(start))


def _all_starts(phrase: Phrase, searched: str, before: str, after: str, exact: bool | None) -> Iterator[int]:
    wanted = normalise(phrase.text, exact_case=phrase.case == "exact" if exact is None else exact)
    word_left, word_right = phrase.edges
    number_left, number_right = phrase.number_edges
    before = before[-2:]  # a digit and a separator deny a boundary, and nothing further away does
    surrounded = before + searched + after[:2]
    last = len(before) + len(searched)
    start = surrounded.find(wanted, len(before), last)
    while start >= 0:
        end = start + len(wanted)
        if not _is_cut(surrounded, start, word_left, number_left) and not _is_cut(
            surrounded, end, word_right, number_right
        ):
            yield start - len(before)
        start = surrounded.find(wanted, start + 1, last)


def _is_cut(text: str, place: int, word: bool, number: bool) -> bool:
    """Return whether `place`, an end of a phrase, is inside of a word or a number that must be whole."""
    left, right = text[max(0, place - 2) : place], text[place : place + 2]
    if word and left and right and is_word_character(left[-1]) and is_word_character(right[0]):
        return True
    return number and number_goes_on(left, right)


def places_in_tokens(ids: tuple[int, ...], tokens: tuple[int, ...]) -> int:
    """Return at how many places token ids appear in a text's tokens.

    >>> places_in_tokens((7, 7), (7, 7, 7, 8))
    2
    """
    width = len(ids)
    return sum(tokens[start : start + width] == ids for start in range(len(tokens) - width + 1))
