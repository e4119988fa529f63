"""Read a text character by character: where phrases end, and what the text is in the middle of.

A text must stay valid UTF-8 and, where a phrase depends on it, NFC.

A phrase that ends with a number waits for up to two characters: after "450" a letter, a digit or a separator
may follow, and after "450." a digit. Until then the phrase is provisional.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from neurologic.matching.aho_corasick import ROOT, AhoCorasick
from neurologic.matching.nfc_composition import each_composed, is_boundary_mark, open_segment
from neurologic.matching.patterns import (
    NUMBER_GOES_ON,
    SPACE,
    WORD_END,
    WORD_START,
    CharacterSymbols,
    symbols_of,
)
from neurologic.matching.token_shapes import DIGIT, NO_NUMBER, SEPARATOR

# A text with so many combining marks in a row is no text; a state would have to remember them all.
_MOST_MARKS = 64


class Position(NamedTuple):
    """The position of a partial text; a state is its number.

    folded, exact  nodes of the automata over characters without and with case
    tokens         node of the automaton over token ids (match="tokens")
    in_word        whether the last character is a word character
    number         how the text ends; kept only where a phrase has digits
    waiting        phrases that end here unless a digit comes next
    pending        bytes of a character that is not complete yet
    segment        last characters, kept only where a combining mark could change a phrase
    first          the text is empty, and the first token decodes differently
    predicates     the state of the predicates; 0 where there are none
    counts         (phrase, places so far) of the phrases that need several places and have some, up to as
                   many as they need
    """

    folded: int = ROOT
    exact: int = ROOT
    tokens: int = ROOT
    in_word: bool = False
    number: int = NO_NUMBER
    waiting: int = 0
    pending: bytes = b""
    segment: str = ""
    first: bool = False
    counts: tuple[tuple[int, int], ...] = ()
    predicates: int = 0


class CharacterReader:
    """Reads characters for one set of phrases.

    fold, exact      automata over characters without and with case
    marks            characters that could change a phrase after others
    whole_numbers    bit set of the phrases that end with a number
    follows_numbers  whether some phrase has digits
    """

    def __init__(
        self,
        fold: AhoCorasick,
        exact: AhoCorasick,
        marks: frozenset[str],
        whole_numbers: int,
        *,
        follows_numbers: bool,
    ) -> None:
        self._fold = fold
        self._exact = exact
        self._marks = marks
        self._whole_numbers = whole_numbers
        self.follows_numbers = follows_numbers

    def read(self, position: Position, characters: str) -> tuple[Position, list[int]] | None:
        """Return the position after characters, and a bit set of phrases for every place where some end."""
        fold, exact = self._fold, self._exact
        folded, cased, in_word, segment = position.folded, position.exact, position.in_word, position.segment
        number, waiting = position.number, position.waiting
        ending: list[int] = []
        for character in each_composed(characters):
            segment = open_segment(segment, character, self._marks)
            if len(segment) > _MOST_MARKS or (segment and self._leaves_nfc(segment, character)):
                return None
            symbols = symbols_of(character)
            if waiting:
                ending += () if symbols.is_digit else (waiting,)
                waiting = 0
            ended_before = len(ending)
            if symbols.is_word != in_word:
                goes_on = number == SEPARATOR and symbols.is_digit
                boundary = NUMBER_GOES_ON if goes_on else WORD_START if symbols.is_word else WORD_END
                folded = fold.step(folded, boundary)
                cased = exact.step(cased, boundary)
                ending.append(fold.outputs[folded] | exact.outputs[cased])
                in_word = symbols.is_word
            folded = _feed(fold, folded, symbols.folded, ending)
            cased = _feed(exact, cased, symbols.exact, ending)
            if self.follows_numbers:
                number = number_after(number, symbols)
                if number == SEPARATOR:
                    waiting = self._hold_back(ending, ended_before)
        after = position._replace(
            folded=folded, exact=cased, in_word=in_word, number=number, waiting=waiting, segment=segment
        )
        return after, ending

    def _hold_back(self, ending: list[int], since: int) -> int:
        """Take the phrases that a digit could still follow out of the last entries of `ending`."""
        held = 0
        for place in range(since, len(ending)):
            held |= ending[place] & self._whole_numbers
            ending[place] &= ~self._whole_numbers
        return held

    def _leaves_nfc(self, segment: str, character: str) -> bool:
        first = unicodedata.normalize("NFD", character)[0]
        if character not in self._marks and first not in self._marks and not is_boundary_mark(first):
            return False
        return not unicodedata.is_normalized("NFC", segment)

    def ending_here(self, position: Position) -> int:
        """Return the phrases that end here if the word or the number does."""
        if not position.in_word:
            return position.waiting
        fold, exact = self._fold, self._exact
        return (
            fold.outputs[fold.step(position.folded, WORD_END)]
            | exact.outputs[exact.step(position.exact, WORD_END)]
        )


def _feed(automaton: AhoCorasick, node: int, symbols: tuple[str, ...], ending: list[int]) -> int:
    """Return the node after a character; add the phrases that end at its symbols to `ending`."""
    if symbols == (SPACE,) and automaton.symbols[node] == SPACE:
        return node  # a run of whitespace is one space: after a matched space further ones change nothing
    for symbol in symbols:
        node = automaton.step(node, symbol)
        if automaton.outputs[node]:
            ending.append(automaton.outputs[node])
    return node


def number_after(number: int, symbols: CharacterSymbols) -> int:
    """Return how a text ends after one more character."""
    if symbols.is_digit:
        return DIGIT
    return SEPARATOR if number == DIGIT and symbols.separates_digits else NO_NUMBER


def decode_prefix(data: bytes) -> tuple[str, bytes] | None:
    """Return the characters of `data` and the bytes of an unfinished one; None if it is not UTF-8.

    >>> decode_prefix("né".encode()[:-1])
    ('n', b'\\xc3')
    """
    try:
        return data.decode(), b""
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and error.end == len(data):
            return data[: error.start].decode(), data[error.start :]
        return None
