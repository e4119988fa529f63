"""Characters as symbols, so that plain Aho–Corasick sees word boundaries.

A text is read as a stream of normalised characters in which every word is wrapped in two
virtual symbols: "The dog's" is read as ‹the› ‹dog›'‹s›. A phrase that must stand as a whole
word is the pattern ‹dog›, so "hotdog" does not match it and "dog's" does; a phrase without a
boundary on a side lacks that symbol there. The closing symbol is read only when the next
character is known (or the text ends), which is what makes a whole word *provisional* until then.

Comparison is under NFC, but tokens arrive one by one, and a combining mark can still change the
character before it. `composing_marks` lists the characters that could do so for given phrases;
the matcher lets such a character in only where the text stays in NFC.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from neurologic.logic.characters import is_word_character, normalise
from neurologic.logic.formula import Phrase

WORD_START = "word start"
WORD_END = "word end"
SPACE = " "


@dataclass(frozen=True, slots=True)
class CharacterSymbols:
    """How one character of a text is read: its symbols with and without case, and its kind."""

    folded: tuple[str, ...]
    exact: tuple[str, ...]
    is_word: bool
    is_space: bool


def composed(characters: str) -> str:
    """Every character by itself in NFC; most stay what they are, a few become several."""
    return characters if characters.isascii() else "".join(map(_composed, characters))


@cache
def _composed(character: str) -> str:
    return unicodedata.normalize("NFC", character)


@cache
def read(character: str) -> CharacterSymbols:
    """The symbols of a single character in NFC.

    >>> read("ß").folded, read("K").exact
    (('s', 's'), ('K',))
    """
    return CharacterSymbols(
        tuple(character.casefold()), (character,), is_word_character(character), character.isspace()
    )


@dataclass(frozen=True, slots=True)
class Pattern:
    """A phrase as symbols; `characters[i]` is how many of its characters symbols[:i+1] have read."""

    symbols: tuple[str, ...]
    characters: tuple[int, ...]


def pattern_of(phrase: Phrase) -> Pattern:
    """The pattern of a phrase, with the boundaries its way of matching asks for.

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


@cache
def _composites() -> dict[str, frozenset[str]]:
    """For every character the characters that may compose with it (Hangul syllables apart)."""
    table: dict[str, set[str]] = {}
    for low, high in ((0xC0, 0x3100), (0xFB1D, 0xFB50), (0x11000, 0x11A00)):
        for code in range(low, high):
            parts = unicodedata.decomposition(chr(code)).split()
            if len(parts) == 2 and not parts[0].startswith("<"):
                first, second = (chr(int(part, 16)) for part in parts)
                if unicodedata.normalize("NFC", first + second) == chr(code):
                    table.setdefault(first, set()).add(second)
    return {first: frozenset(seconds) for first, seconds in table.items()}


_HANGUL_VOWELS = frozenset(map(chr, range(0x1161, 0x1176)))
_HANGUL_FINALS = frozenset(map(chr, range(0x11A8, 0x11C3)))


def _composing_with(character: str) -> frozenset[str]:
    code = ord(character)
    if 0x1100 <= code <= 0x1112:
        return _HANGUL_VOWELS
    if 0xAC00 <= code <= 0xD7A3:
        return _HANGUL_FINALS if (code - 0xAC00) % 28 == 0 else frozenset()
    return _composites().get(character, frozenset())


def composing_marks(phrases: Iterable[Phrase]) -> frozenset[str]:
    """Characters that, after others, could make or unmake an occurrence of one of the phrases.

    Empty for whole words in ASCII letters, the usual case: there every mark is just one more word
    character. Otherwise: the later parts of every composed character of a phrase ("é" may be
    written e + ´), its combining marks (their order may vary), whatever composes with the last
    character where no boundary protects it, its first character if that one composes, and all marks if it
    begins with one.
    """
    marks: set[str] = set()
    for phrase in phrases:
        text = unicodedata.normalize("NFC", phrase.text)
        variants = {text} if phrase.case == "exact" else {text, text.casefold(), text.upper(), text.lower()}
        for variant in variants:
            if not variant.isascii():
                for character in variant:
                    marks.update(unicodedata.normalize("NFD", character)[1:])
                    if unicodedata.combining(character):
                        marks.add(character)
            if phrase.match == "substring" or not is_word_character(variant[-1]):
                starter = next((c for c in reversed(variant) if not unicodedata.combining(c)), variant[-1])
                # Also with its parts: "é" and a dot below become "ẹ" and an acute.
                parts = unicodedata.normalize("NFD", starter)
                for end in range(1, len(parts) + 1):
                    marks |= _composing_with(unicodedata.normalize("NFC", parts[:end])[0])
            if unicodedata.normalize("NFD", variant[0])[0] in _second_parts():
                marks.add(variant[0])
            if unicodedata.combining(variant[0]):
                # A mark after "é" may take the acute out of it again: a dot below makes it "ẹ" and an acute.
                marks |= _second_parts()
    return frozenset(marks)


@cache
def _second_parts() -> frozenset[str]:
    return frozenset().union(*_composites().values(), _HANGUL_VOWELS, _HANGUL_FINALS)


def is_boundary_mark(character: str) -> bool:
    """A combining mark that is no word character: NFC may move it before one that is, and make a boundary."""
    return bool(unicodedata.combining(character)) and not is_word_character(character)


def open_segment(segment: str, character: str, whole: bool) -> str:
    """The characters since the last one that nothing before it can change, `character` included.

    Without `whole` only combining marks are kept, so that ordinary text has no segment at all.
    """
    if unicodedata.combining(character) or (whole and character in _second_parts()):
        return segment + character
    return character if whole else ""
