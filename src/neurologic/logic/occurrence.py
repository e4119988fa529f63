"""The definition of "a phrase occurs in a text", which all other modules must agree with.

A phrase may appear at several places of a text, which may overlap; it occurs if it appears at `times` places,
one by default. `occurs` is deliberately plain. The check of finished texts, the final verification of every
generated text, and the oracles of the tests all call it; the automaton in `neurologic.matching` is fast and
must agree with it on every text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from neurologic.errors import FormulaError
from neurologic.logic.characters import is_word_character, normalise

if TYPE_CHECKING:
    from neurologic.logic.formula import Phrase


def occurs(phrase: Phrase | str, text: str, *, before: str = "") -> bool:
    """Return D(a, y): whether `phrase` occurs in `text`, as often as it must.

    `before` is the text directly before (the end of a raw prompt). It can deny a word boundary at the
    start of `text`, but `occurs` never finds a phrase in it.

    >>> occurs("dog", "The dog's bone"), occurs("car", "a carpet")
    (True, False)
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
    searched = normalise(text, exact_case=exact)
    word_before = bool(before) and is_word_character(before[-1])
    return sum(1 for _ in starts(phrase, searched, open_left=word_before))


def starts(
    phrase: Phrase,
    searched: str,
    *,
    open_left: bool = False,
    open_right: bool = False,
    exact: bool | None = None,
) -> Iterator[int]:
    """Yield where `phrase` starts in a normalised text.

    open_left, open_right  whether a word may continue beyond the ends of the text
    exact                  whether the text has kept its case; by default as the phrase needs it
    """
    wanted = normalise(phrase.text, exact_case=phrase.case == "exact" if exact is None else exact)
    needs_left, needs_right = phrase.edges
    start = searched.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        continues_left = is_word_character(searched[start - 1]) if start else open_left
        continues_right = is_word_character(searched[end]) if end < len(searched) else open_right
        if not (needs_left and continues_left) and not (needs_right and continues_right):
            yield start
        start = searched.find(wanted, start + 1)


def places_in_tokens(ids: tuple[int, ...], tokens: tuple[int, ...]) -> int:
    """Return at how many places token ids appear in a text's tokens.

    >>> places_in_tokens((7, 7), (7, 7, 7, 8))
    2
    """
    width = len(ids)
    return sum(tokens[start : start + width] == ids for start in range(len(tokens) - width + 1))
