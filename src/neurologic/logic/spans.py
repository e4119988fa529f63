"""Find the places of a phrase in a text, as start and end.

`logic.occurrence.occurs` compares normalised forms (NFC, folded, runs of whitespace as one space), so places
there differ from places in the text. Here every normalised character remembers the stretch of the text
that it comes from. Phrases matched on token ids have no place in a text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from neurologic.logic.characters import composed, folded, is_moving_mark, normalise
from neurologic.logic.formula import Phrase
from neurologic.logic.occurrence import starts

Span = tuple[int, int]

_LONG_WHITESPACE = re.compile(r"\s\s+")


@dataclass(frozen=True)
class _Aligned:
    """A normalised text, and for each of its characters where that starts and ends in the text itself."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def spans(phrase: Phrase, text: str, *, before: str = "") -> list[Span]:
    """Return every place of a phrase in `text`, also places that overlap.

    There are as many as `places(phrase, text, before=before)`.

    >>> spans(Phrase("flying disc"), "Two FLYING  discs, a flying\\tdisc.")
    [(21, 32)]
    >>> spans(Phrase("cat"), "a cat's cat")
    [(2, 5), (8, 11)]
    """
    if phrase.match == "tokens":
        return []
    exact = phrase.case == "exact"
    searched = _aligned(text, exact_case=exact)
    length = len(normalise(phrase.text, exact_case=exact))
    return [
        (searched.starts[start], searched.ends[start + length - 1])
        for start in starts(phrase, searched.text, before=before)
    ]


@lru_cache(maxsize=4)  # callers look up all phrases of a formula in one text
def _aligned(text: str, *, exact_case: bool) -> _Aligned:
    """Normalise a text, and remember where each character comes from."""
    normalised = normalise(text, exact_case=exact_case)
    if unicodedata.is_normalized("NFC", text) and (exact_case or len(text.casefold()) == len(text)):
        # Nearly every text: no character has become two or half a one, so only whitespace moves places.
        return _aligned_but_for_whitespace(text, normalised)
    characters: list[str] = []
    origins: list[Span] = []
    for start, end in _composed_stretches(text):
        stretch = composed(text[start:end])
        for character in stretch if exact_case else folded(stretch):
            if character.isspace() and characters and characters[-1] == " ":
                origins[-1] = (origins[-1][0], end)
            else:
                characters.append(" " if character.isspace() else character)
                origins.append((start, end))
    if "".join(characters) != normalised:
        # Marks composed across what looked like the end of a stretch: give up on exact places.
        return _Aligned(normalised, [0] * len(normalised), [len(text)] * len(normalised))
    return _Aligned(normalised, [start for start, _ in origins], [end for _, end in origins])


def _aligned_but_for_whitespace(text: str, normalised: str) -> _Aligned:
    """Align a text that differs from its normalised form only in case and in runs of whitespace."""
    begins: list[int] = []
    ends: list[int] = []
    done = 0
    for run in _LONG_WHITESPACE.finditer(text):
        begins += range(done, run.start() + 1)
        ends += range(done + 1, run.start() + 1)
        done = run.end()
        ends.append(done)
    begins += range(done, len(text))
    ends += range(done + 1, len(text) + 1)
    return _Aligned(normalised, begins, ends)


def _composed_stretches(text: str) -> Iterator[Span]:
    """Yield the stretches that NFC composes on their own: a character with the marks that follow it."""
    start = 0
    for place in range(1, len(text)):
        if _begins_a_stretch(text, start, place):
            yield start, place
            start = place
    if text:
        yield start, len(text)


def _begins_a_stretch(text: str, start: int, place: int) -> bool:
    """Return whether the character at `place` stays apart from the stretch before it."""
    character = text[place]
    if character.isascii():
        return True
    if is_moving_mark(character):
        return False
    stretch = text[start:place]
    composed = unicodedata.normalize("NFC", stretch + character)
    return composed == unicodedata.normalize("NFC", stretch) + unicodedata.normalize("NFC", character)
