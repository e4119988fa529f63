"""The characters that make words and numbers, and the comparison of characters.

The definitions rest on Unicode's general categories and know no languages: a hyphen or an apostrophe is
never part of a word, an underscore always is. Digits with single separators between them are one number
("12,450.75", "14:05"); spaces, hyphens and slashes separate numbers.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from itertools import groupby

# Scripts without spaces, whose texts do not show where a word ends:
# Thai, Lao, Myanmar, Khmer, Bopomofo and kana, the CJK blocks, and their extensions.
_SPACELESS_RANGES = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x19E0, 0x19FF),
    (0x2E80, 0x2FDF),
    (0x3005, 0x3007),
    (0x3021, 0x303C),
    (0x3041, 0x312F),
    (0x31A0, 0x31BF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FE),
    (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x323AF),
)

# Straight, the two single quotation marks, and the letter that Unicode has for it: texts have any of them.
APOSTROPHES = "'\u2018\u2019\u02bc"
_STRAIGHT_APOSTROPHES = str.maketrans(dict.fromkeys(APOSTROPHES, "'"))

# Between digits: decimal and thousands separators (the last two are Arabic), and the colon of times.
_SEPARATORS = frozenset(".,:\u066b\u066c" + APOSTROPHES)


# Texts of all scripts together use fewer characters; a text made of all of Unicode must not fill the memory.
CHARACTERS_KEPT = 1 << 16


def is_spaceless(character: str) -> bool:
    """Return whether a character belongs to a script that puts no spaces between words."""
    code = ord(character)
    return code >= 0x0E00 and any(low <= code <= high for low, high in _SPACELESS_RANGES)


@lru_cache(maxsize=CHARACTERS_KEPT)
def is_word_character(character: str) -> bool:
    """Return whether a character is a letter, mark, number or underscore of a script with spaces.

    Characters of scripts without spaces never need a boundary and never deny one, so they count as
    non-word characters here: "iPhone" occurs in "我的iPhone很好".
    """
    if character == "_":
        return True
    if character in APOSTROPHES:
        return False  # one of them is a letter to Unicode
    return unicodedata.category(character)[0] in "LMN" and not is_spaceless(character)


@lru_cache(maxsize=CHARACTERS_KEPT)
def is_digit(character: str) -> bool:
    """Return whether a character is a decimal digit of a script with spaces."""
    return character.isdecimal() and is_word_character(character)


def separates_digits(character: str) -> bool:
    """Return whether a character between two digits makes one number of them."""
    return character in _SEPARATORS


def number_goes_on(left: str, right: str) -> bool:
    """Return whether one number has digits in both texts, which stand side by side.

    >>> number_goes_on("3.", "8%"), number_goes_on("3", ".8"), number_goes_on("3", ". 8")
    (True, True, False)
    """
    if is_digit(left[-1:]):
        return is_digit(right[:1]) or (separates_digits(right[:1]) and is_digit(right[1:2]))
    return separates_digits(left[-1:]) and is_digit(left[-2:-1]) and is_digit(right[:1])


def word_runs(text: str) -> list[str]:
    """Return the maximal runs of word characters.

    >>> word_runs("don't stop")
    ['don', 't', 'stop']
    """
    return "".join(c if is_word_character(c) else " " for c in text).split()


_WHITESPACE_RUN = re.compile(r"\s+")


def composed(text: str) -> str:
    """Return a text in NFC, and the deprecated letter "ŉ" as the apostrophe and the n that it folds to."""
    if len(text) > _MANY_MARKS and not text.isascii():
        text = _with_marks_in_order(text)
    return unicodedata.normalize("NFC", text.replace("\u0149", "\u02bcn"))


# Python sorts the marks behind a letter in quadratic time: half a million of them, which is a megabyte, take
# minutes. Up to so many it does not matter.
_MANY_MARKS = 1_000


def _with_marks_in_order(text: str, most: int = _MANY_MARKS) -> str:
    """Return a text with the same NFC, in which runs of more than so many marks are sorted already."""
    runs = ("".join(run) for _, run in groupby(text, key=is_moving_mark))
    return "".join(_sorted_marks(run) if len(run) > most and is_moving_mark(run[0]) else run for run in runs)


def _sorted_marks(marks: str) -> str:
    decomposed = "".join(unicodedata.normalize("NFD", mark) for mark in marks)
    return "".join(sorted(decomposed, key=unicodedata.combining))  # stable, as NFC demands


@lru_cache(maxsize=CHARACTERS_KEPT)
def is_moving_mark(character: str) -> bool:
    """Return whether NFC may move a character; some marks show it only when they are decomposed."""
    return unicodedata.combining(unicodedata.normalize("NFD", character)[0]) > 0


def folded(text: str) -> str:
    """Return a text without case, and with straight apostrophes for all kinds of them.

    >>> folded("Don’t")
    "don't"
    """
    return text.casefold().translate(_STRAIGHT_APOSTROPHES)


def normalise(text: str, *, exact_case: bool) -> str:
    """Return the form in which phrases and texts are compared.

    NFC first, then (unless `exact_case`) folding of case and apostrophes, then one space for every run of
    whitespace.

    >>> normalise("Straße\\n 9", exact_case=False)
    'strasse 9'
    """
    text = composed(text)
    if not exact_case:
        text = folded(text)
    return _WHITESPACE_RUN.sub(" ", text)


@cache
def _characters_with_case() -> frozenset[str]:
    """Return the characters that folding changes, or makes out of others ("ss" out of "ß")."""
    found: set[str] = set()
    for code in range(0x20000):  # characters beyond the first two planes have no case
        character = chr(code)
        without_case = folded(character)
        if without_case != character:
            found.update(character, without_case)
    return frozenset(found)


def is_caseless(text: str) -> bool:
    """Return whether `text` is the only text with its folded form, so that case=exact changes nothing.

    >>> is_caseless("42 猫"), is_caseless("4ever")
    (True, False)
    """
    return _characters_with_case().isdisjoint(text)


# Variation selectors and fillers are invisible, though no category says so.
_UNSEEN = frozenset("\u034f\u115f\u1160\u3164\uffa0") | {chr(code) for code in range(0xFE00, 0xFE10)}


def is_visible(character: str) -> bool:
    """Return False for spaces, control and format characters, and characters that only change others."""
    return unicodedata.category(character) not in ("Zs", "Zl", "Zp", "Cc", "Cf") and character not in _UNSEEN
