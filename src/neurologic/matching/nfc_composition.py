"""Characters that can change the one before them under NFC, the form in which texts are compared.

Tokens arrive one by one, and a combining mark can still change the character before it. `composing_marks`
lists the characters that could do so for given phrases; the matcher lets such a character in only where the
text stays in NFC.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache

from neurologic.logic.characters import CHARACTERS_KEPT, composed, is_word_character
from neurologic.logic.formula import Phrase


def each_composed(characters: str) -> str:
    """Return every character by itself in NFC; most stay as they are, a few become several."""
    return characters if characters.isascii() else "".join(map(_composed, characters))


_composed = lru_cache(maxsize=CHARACTERS_KEPT)(composed)


@cache
def _composites() -> dict[str, frozenset[str]]:
    """Map every character to the characters that may compose with it (Hangul syllables apart)."""
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
    """Return the characters that, after others, could create or destroy an occurrence of a phrase.

    Empty for whole words in ASCII letters, the usual case: there every mark is just one more word
    character. Otherwise: the later parts of every composed character of a phrase ("é" may be
    written e + ´), its combining marks (their order may vary), whatever composes with the last
    character where no boundary protects it, its first character if that one composes, and all marks if it
    begins with one.
    """
    marks: set[str] = set()
    for phrase in phrases:
        text = composed(phrase.text)
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


def is_second_part(character: str) -> bool:
    """Return whether a character may compose with the one before it."""
    return character in _second_parts()


def is_boundary_mark(character: str) -> bool:
    """Return whether NFC may move a character before a word character and so make a boundary."""
    return bool(unicodedata.combining(character)) and not is_word_character(character)


@lru_cache(maxsize=CHARACTERS_KEPT)
def _marks_after(character: str) -> frozenset[str]:
    """Return the characters that may compose with a character, or with what becomes of it so."""
    parts = unicodedata.normalize("NFD", character)
    known = {unicodedata.normalize("NFC", parts[:end])[0] for end in range(1, len(parts) + 1)}
    open_, marks = list(known), set[str]()
    while open_:
        starter = open_.pop()
        for mark in _composing_with(starter):
            marks.add(mark)
            together = unicodedata.normalize("NFC", starter + mark)
            if len(together) == 1 and together not in known:
                known.add(together)
                open_.append(together)
    return frozenset(marks)


@lru_cache(maxsize=CHARACTERS_KEPT)
def takes_marks(character: str, marks: frozenset[str]) -> bool:
    """Return whether one of some marks, or one that makes a boundary, may compose with a character."""
    after = _marks_after(character)
    return not after.isdisjoint(marks) or any(map(is_boundary_mark, after))


def open_segment(segment: str, character: str, marks: frozenset[str]) -> str:
    """Return the characters since the last one that nothing before it can change, `character` included.

    Characters with which none of `marks` composes are left out, so that ordinary text has no segment at all.
    """
    if unicodedata.combining(character) or (marks and character in _second_parts()):
        return segment + character
    return character if marks and takes_marks(character, marks) else ""
