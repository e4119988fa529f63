"""Phrases as patterns of symbols, so that plain Aho–Corasick sees word boundaries.

The matcher reads a text as a stream of normalised characters in which two virtual symbols enclose every
word: it reads "The dog's" as ‹the› ‹dog›'‹s›. A phrase that must be a whole word is the pattern ‹dog›,
so "hotdog" does not match it and "dog's" does; a phrase without a boundary on a side lacks that symbol there.
The closing symbol comes only when the next character is known (or the text ends), which is what makes a whole
word *provisional* until then.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from neurologic.logic.characters import is_word_character, normalise
from neurologic.logic.formula import Phrase

WORD_START = "word start"
WORD_END = "word end"
SPACE = " "


@dataclass(frozen=True, slots=True)
class CharacterSymbols:
    """The symbols of a character without and with case, and whether it is a word character."""

    folded: tuple[str, ...]
    exact: tuple[str, ...]
    is_word: bool


@cache
def symbols_of(character: str) -> CharacterSymbols:
    """Return the symbols of a single character in NFC; all whitespace is `SPACE`.

    >>> symbols_of("ß").folded, symbols_of("K").exact
    (('s', 's'), ('K',))
    """
    if character.isspace():
        return CharacterSymbols((SPACE,), (SPACE,), is_word=False)
    return CharacterSymbols(tuple(character.casefold()), (character,), is_word_character(character))


@dataclass(frozen=True, slots=True)
class Pattern:
    """A phrase as symbols; `symbols[:i+1]` stand for its first `characters[i]` characters."""

    symbols: tuple[str, ...]
    characters: tuple[int, ...]


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
            symbols.append(WORD_START if is_word else WORD_END)
            characters.append(count - 1)
        symbols.append(character)
        characters.append(count)
        in_word = is_word
    if in_word and bounded:
        symbols.append(WORD_END)
        characters.append(len(text))
    return Pattern(tuple(symbols), tuple(characters))
