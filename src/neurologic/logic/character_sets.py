r"""Sets of characters, as sorted ranges of code points: `[a-z]`, `\d`, `.`, and their union and complement.

`matching` turns the ranges into edges of an automaton; `logic.expressions` looks characters up in them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import cache

from neurologic.logic.units import LINE_BREAKS

CodePoints = tuple[int, int]  # the first and the last of a range
CharacterSet = tuple[CodePoints, ...]  # sorted, apart from each other

LAST = 0x10FFFF
# Unicode has put letters, digits and spaces on its first four planes only.
_SURVEYED = 0x40000


def union(ranges: Iterable[CodePoints]) -> CharacterSet:
    """Return the ranges sorted and joined.

    >>> union([(5, 9), (1, 3), (4, 4), (20, 20)])
    ((1, 9), (20, 20))
    """
    joined: list[CodePoints] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return tuple(joined)


def complement(characters: CharacterSet) -> CharacterSet:
    """Return all other characters.

    >>> complement(((0, 9), (11, 0x10FFFF)))
    ((10, 10),)
    """
    starts = [0, *(high + 1 for _, high in characters)]
    ends = [*(low - 1 for low, _ in characters), LAST]
    return tuple((start, end) for start, end in zip(starts, ends, strict=True) if start <= end)


def of(text: str) -> CharacterSet:
    """Return the characters of a text."""
    return union((ord(character), ord(character)) for character in text)


def contains(characters: CharacterSet, character: str) -> bool:
    """Return whether a character is in the set."""
    code = ord(character)
    place = bisect_right(characters, (code, LAST)) - 1
    return place >= 0 and characters[place][1] >= code


ANY_BUT_LINE_BREAKS = complement(of(LINE_BREAKS))


@cache
def named(letter: str) -> CharacterSet:
    r"""Return the set that an escape names: d, w or s, as in Python's `re`; a capital names the others."""
    if letter.isupper():
        return complement(named(letter.lower()))
    tests: dict[str, Callable[[str], bool]] = {
        "d": str.isdecimal,
        "w": lambda character: character.isalnum() or character == "_",
        "s": str.isspace,
    }
    return union((code, code) for code in range(_SURVEYED) if tests[letter](chr(code)))


def without_case(characters: CharacterSet) -> CharacterSet:
    """Return the set with every letter in all its cases."""
    more = [
        (ord(other), ord(other))
        for letter, others in _cases().items()
        if contains(characters, letter)
        for other in others
    ]
    return union([*characters, *more])


@cache
def _cases() -> dict[str, frozenset[str]]:
    """Map every letter with case to all letters that differ from it in case alone."""
    same: dict[str, set[str]] = {}
    for code in range(0x20000):  # characters beyond the first two planes have no case
        letter = chr(code)
        for other in (letter.lower(), letter.upper(), letter.casefold()):
            if len(other) == 1 and other != letter:
                joined = same.get(letter, {letter}) | same.get(other, {other})
                same |= dict.fromkeys(joined, joined)
    return {letter: frozenset(others) for letter, others in same.items()}
