"""Phrases as patterns of symbols, so that plain Aho–Corasick sees word boundaries.

The matcher reads a text as a stream of normalised characters in which two virtual symbols enclose every
word: it reads "The dog's" as ‹the› ‹dog›'‹s›. A phrase that must be a whole word is the pattern ‹dog›,
so "hotdog" does not match it and "dog's" does; a phrase without a boundary on a side lacks that symbol there.
The closing symbol comes only when the next character is known (or the text ends), which is what makes a whole
word *provisional* until then.

A word that continues a number opens with a symbol of its own: 3.8 is ‹3›.«8›. So "8%", the pattern ‹8›%, does
not match in "3.8%". The closing symbol cannot tell whether the number goes on, since that is two characters
away; the matcher waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from neurologic.logic.characters import (
    CHARACTERS_KEPT,
    folded,
    is_digit,
    is_word_character,
    normalise,
    number_goes_on,
    separates_digits,
)
from neurologic.logic.formula import Phrase

WORD_START = "word start"
WORD_END = "word end"
NUMBER_GOES_ON = "number goes on"  # the start of a word that continues a number
SPACE = " "


@dataclass(frozen=True, slots=True)
class CharacterSymbols:
    """The symbols of a character without and with case, and its part in words and numbers."""

    folded: tuple[str, ...]
    exact: tuple[str, ...]
    is_word: bool = False
    is_digit: bool = False
    separates_digits: bool = False


@lru_cache(maxsize=CHARACTERS_KEPT)
def symbols_of(character: str) -> CharacterSymbols:
    """Return the symbols of a single character in NFC; all whitespace is `SPACE`.

    >>> symbols_of("ß").folded, symbols_of("K").exact
    (('s', 's'), ('K',))
    """
    if character.isspace():
        return CharacterSymbols((SPACE,), (SPACE,))
    return CharacterSymbols(
        tuple(folded(character)),
        (character,),
        is_word_character(character),
        is_digit(character),
        separates_digits(character),
    )


@dataclass(frozen=True, slots=True)
class Pattern:
    """A phrase as symbols; `symbols[:i+1]` stand for its first `characters[i]` characters."""

    symbols: tuple[str, ...]
    characters: tuple[int, ...]


def patterns_of(phrase: Phrase) -> tuple[Pattern, ...]:
    """Return the patterns of a phrase: a second one where its first digits may continue a number.

    >>> from neurologic.logic.formula import Phrase
    >>> [pattern.symbols[0] for pattern in patterns_of(Phrase("8%", number="part"))]
    ['word start', 'number goes on']
    """
    pattern = pattern_of(phrase)
    opening = pattern.symbols[:2]
    if phrase.number_edges[0] or WORD_START not in opening or not number_goes_on("0", phrase.text):
        return (pattern,)
    place = opening.index(WORD_START)
    symbols = (*pattern.symbols[:place], NUMBER_GOES_ON, *pattern.symbols[place + 1 :])
    return pattern, Pattern(symbols, pattern.characters)


def pattern_of(phrase: Phrase) -> Pattern:
    """Return the pattern of a phrase, with the word boundaries that it needs.

    >>> from neurologic.logic.formula import Phrase
    >>> pattern_of(Phrase("C++")).symbols
    ('word start', 'c', 'word end', '+', '+')
    """
    text = normalise(phrase.text, exact_case=phrase.case == "exact")
    bounded = phrase.match == "word"
    symbols: list[str] = []
    characters: list[int] = []
    in_word = not bounded and is_word_character(text[0])
    for count, character in enumerate(text, 1):
        is_word = is_word_character(character)
        if is_word != in_word:
            goes_on = number_goes_on(text[max(0, count - 3) : count - 1], character)
            symbols.append(NUMBER_GOES_ON if goes_on else WORD_START if is_word else WORD_END)
            characters.append(count - 1)
        symbols.append(character)
        characters.append(count)
        in_word = is_word
    if in_word and bounded:
        symbols.append(WORD_END)
        characters.append(len(text))
    return Pattern(tuple(symbols), tuple(characters))
