"""What tokens do to a text where no phrase is in sight: with which character they open, and how they end.

Most tokens are *plain*: whole characters, none of which could change one before it. A plain token whose first
character does not continue a partly written phrase, and in which no phrase begins, has the same effect on
every text, and that effect is here as two arrays over the vocabulary. `lifting` uses them; it says which
tokens of a formula are the exceptions.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from neurologic.logic.characters import is_digit, is_word_character, separates_digits
from neurologic.matching.nfc_composition import each_composed, is_second_part
from neurologic.matching.patterns import CharacterSymbols, symbols_of

# How a text ends: outside of numbers, with a digit, or with a digit and a separator.
NO_NUMBER, DIGIT, SEPARATOR = range(3)
# A token of one separator: what comes before it decides.
_LONE_SEPARATOR = 3

# As many as an unsigned number of 16 bits tells apart. Tokens of further characters are not plain.
_MOST_CHARACTERS = 1 << 16

# The number of different values of `ending`.
ENDINGS = 8


@dataclass(frozen=True, eq=False)
class TokenShapes:
    """The shapes of all tokens inside a text; made once per vocabulary, with `of`.

    opening   for every token the place of its first character in `characters`; 0 if the token is not plain
    closing   for every plain token the place of its last character in `characters`
    ending    for every plain token how a text ends with it: 1 if the last character is of a word, plus
              twice the part that it has in a number
    characters
              the first and last characters of plain tokens; the one at place 0 stands for none
    """

    opening: NDArray[np.uint16]
    closing: NDArray[np.uint16]
    ending: NDArray[np.uint8]
    characters: str

    @classmethod
    def of(cls, pieces: Sequence[bytes | None]) -> Self:
        """Work out the shapes of the tokens that add these bytes; reads every character of every token."""
        places: dict[str, int] = {"\0": 0}
        opening = np.zeros(len(pieces), dtype=np.uint16)
        closing = np.zeros(len(pieces), dtype=np.uint16)
        ending = np.zeros(len(pieces), dtype=np.uint8)
        for token, piece in enumerate(pieces):
            text = _plain_text(piece)
            if not text or "\0" in text or len(places) + 1 > _MOST_CHARACTERS:
                continue
            opening[token] = places.setdefault(text[0], len(places))
            closing[token] = places.setdefault(text[-1], len(places))
            ending[token] = is_word_character(text[-1]) + 2 * _number_part(text)
        return cls(opening, closing, ending, "".join(places))

    @cached_property
    def kinds(self) -> tuple[CharacterSymbols | None, ...]:
        """One character of every kind, by its part in words and numbers; None stands for no character."""
        kinds: dict[tuple[bool, bool, bool], CharacterSymbols] = {}
        for symbols in self._symbols[1:]:
            kinds.setdefault(_kind_of(symbols), symbols)
        return (None, *kinds.values())

    @cached_property
    def kind(self) -> NDArray[np.uint8]:
        """For every place in `characters` the place of its kind in `kinds`."""
        order = {_kind_of(symbols): place for place, symbols in enumerate(self.kinds) if symbols is not None}
        return np.array([0, *(order[_kind_of(symbols)] for symbols in self._symbols[1:])], dtype=np.uint8)

    def places_of(self, symbols: Iterable[str]) -> list[int]:
        """Return the places of the characters that may match one of these symbols first."""
        return [place for symbol in symbols for place in self._places.get(symbol, ())]

    @cached_property
    def _symbols(self) -> tuple[CharacterSymbols, ...]:
        return tuple(map(symbols_of, self.characters))

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = defaultdict(list)
        for place, symbols in enumerate(self._symbols[1:], 1):
            for symbol in {*symbols.folded[:1], *symbols.exact[:1]}:
                places[symbol].append(place)
        return dict(places)


def states_after_endings(number: int) -> Iterator[tuple[bool, int]]:
    """Yield for every value of `ending` whether the text is in a word, and how it ends, after `number`."""
    for ending in range(ENDINGS):
        part = ending >> 1
        if part == _LONE_SEPARATOR:
            part = SEPARATOR if number == DIGIT else NO_NUMBER
        yield bool(ending & 1), part


def _plain_text(piece: bytes | None) -> str:
    """Return the text of a token that is plain; "" for all others."""
    try:
        text = (piece or b"").decode()
    except UnicodeDecodeError:
        return ""
    if text.isascii():
        return text
    if each_composed(text) != text or not unicodedata.is_normalized("NFC", text):
        return ""
    return "" if any(map(_may_change_another, text)) else text


def _may_change_another(character: str) -> bool:
    first = unicodedata.normalize("NFD", character)[0]
    return bool(unicodedata.combining(first)) or is_second_part(first)


def _number_part(text: str) -> int:
    if is_digit(text[-1]):
        return DIGIT
    if not separates_digits(text[-1]):
        return NO_NUMBER
    if len(text) == 1:
        return _LONE_SEPARATOR
    return SEPARATOR if is_digit(text[-2]) else NO_NUMBER


def _kind_of(symbols: CharacterSymbols) -> tuple[bool, bool, bool]:
    return symbols.is_word, symbols.is_digit, symbols.separates_digits
