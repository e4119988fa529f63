r"""Read regular expressions: a part of Python's syntax that an automaton can follow in linear time.

Understood are characters, `.`, classes (`[a-z]`, `[^,]`, `\d \w \s` and their capitals), groups, `|`, the
repetitions `* + ? {2} {2,} {,3} {2,3}`, and `^ $` for the start and the very end of the text. `.` matches
everything but line breaks. There is no look-around, no back-reference, no flag inside and no `\b`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NoReturn

from neurologic.errors import FormulaError
from neurologic.logic import character_sets
from neurologic.logic.character_sets import CharacterSet
from neurologic.logic.expressions import Anchor, Characters, Choice, Concatenation, Expression, Repeat, size

MAX_SIZE = 2_000  # characters and choices once repetitions are written out
_MAX_NESTING = 50

_COUNT = re.compile(r"\{(?:(\d+)(?:(,)(\d*))?|,(\d+))\}", re.ASCII)
_CODE = re.compile(r"x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}")
_SHORT_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_REPEATS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_REFUSED_GROUPS = {
    "=": "look-ahead is not possible here",
    "!": "look-ahead is not possible here; negate a whole expression with !/…/",
    "<": "look-behind is not possible here",
    "P": "named groups and back-references are not possible here; write (…)",
    ">": "atomic groups are not possible here; write (…)",
    "(": "conditional groups are not possible here; use |",
    "#": "comments are not possible here",
}


@lru_cache(maxsize=256)
def read_expression(text: str, *, ignore_case: bool = False) -> Expression:
    """Return the tree of a regular expression; raise a `FormulaError` that names the place otherwise."""
    return _Reader(text, ignore_case).whole()


class _Reader:
    """One reading of one expression; `place` is the index of the next character."""

    def __init__(self, text: str, ignore_case: bool) -> None:
        self.text = text
        self.ignore_case = ignore_case
        self.place = 0
        self.nesting = 0

    def fail(self, problem: str, place: int | None = None) -> NoReturn:
        at = (self.place if place is None else place) + 1
        raise FormulaError(f"expression /{_shortened(self.text)}/, character {at}: {problem}")

    @property
    def next(self) -> str:
        return self.text[self.place : self.place + 1]

    def take_if(self, wanted: str) -> bool:
        found = self.text.startswith(wanted, self.place)
        self.place += len(wanted) if found else 0
        return found

    def whole(self) -> Expression:
        expression = self.choice()
        if self.next == ")":
            self.fail(r"this parenthesis closes nothing; write \) for the character itself")
        if size(expression) > MAX_SIZE:
            raise FormulaError(
                f"the expression /{_shortened(self.text)}/ is too large: its repetitions stand for "
                f"{size(expression):,} characters, and {MAX_SIZE:,} is the most"
            )
        return expression

    def choice(self) -> Expression:
        parts = [self.concatenation()]
        while self.take_if("|"):
            parts.append(self.concatenation())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def concatenation(self) -> Expression:
        parts: list[Expression] = []
        while self.next and self.next not in "|)":
            parts.append(self.repeated())
        return parts[0] if len(parts) == 1 else Concatenation(tuple(parts))

    def repeated(self) -> Expression:
        if self.next in _REPEATS or self.count() is not None:
            self.fail(
                rf"nothing stands before {self.next} to repeat; write \{self.next} for the character itself"
            )
        part = self.single()
        repetition = self.repetition()
        if repetition is None:
            return part
        low, high = repetition
        if high is not None and high < low:
            self.fail(f"the repetition goes down, from {low} to {high}")
        self.take_if("?")  # lazy: other places to capture, the same strings
        if self.next == "+":
            self.fail("possessive repetition is not possible here; leave out the +")
        if self.next in _REPEATS or self.count() is not None:
            self.fail("two repetitions in a row; put the first into parentheses")
        return Repeat(part, low, high)

    def repetition(self) -> tuple[int, int | None] | None:
        if self.next in _REPEATS:
            self.place += 1
            return _REPEATS[self.text[self.place - 1]]
        found = self.count()
        if found is None:
            return None
        low, comma, high, only_high = found.groups()
        for number in (low, high, only_high):
            if len(number or "") > 6:
                self.fail(
                    f"the number {_shortened(number)} is too large; {MAX_SIZE:,} repetitions are the most"
                )
        self.place = found.end()
        if only_high is not None:
            return 0, int(only_high)
        return int(low), (int(low) if comma is None else int(high) if high else None)

    def count(self) -> re.Match[str] | None:
        """Return `{2,3}` if it comes next; other braces are characters, as in Python."""
        return _COUNT.match(self.text, self.place)

    def single(self) -> Expression:
        character = self.next
        if character == "(":
            return self.group()
        if character == "[":
            return self.characters(self.character_class())
        self.place += 1
        if character == ".":
            return Characters(character_sets.ANY_BUT_LINE_BREAKS)
        if character in ("^", "$"):
            return Anchor("start" if character == "^" else "end")
        if character == "\\":
            return self.characters(self.escape())
        return self.characters(character_sets.of(character))

    def characters(self, ranges: CharacterSet) -> Characters:
        return Characters(character_sets.without_case(ranges) if self.ignore_case else ranges)

    def group(self) -> Expression:
        opened = self.place
        self.place += 1
        if self.take_if("?") and not self.take_if(":"):
            problem = _REFUSED_GROUPS.get(self.next, "flags go behind the expression, as in /…/i")
            self.fail(problem, opened)
        self.nesting += 1
        if self.nesting > _MAX_NESTING:
            self.fail(f"more than {_MAX_NESTING} parentheses inside each other; write it flatter", opened)
        inside = self.choice()
        self.nesting -= 1
        if not self.take_if(")"):
            self.fail("this parenthesis is never closed", opened)
        return inside

    def escape(self) -> CharacterSet:
        """Read what follows a backslash."""
        start = self.place - 1
        letter = self.next
        self.place += 1
        if not letter:
            self.fail(r"a backslash stands at the end; write \\ for the character itself", start)
        if letter in "dwsDWS":
            return character_sets.named(letter)
        if letter in _SHORT_ESCAPES:
            return character_sets.of(_SHORT_ESCAPES[letter])
        code = _CODE.match(self.text, start + 1)
        if code is not None:
            self.place = code.end()
            number = int(code.group()[1:], 16)
            if number > character_sets.LAST:
                self.fail("there is no such character", start)
            return ((number, number),)
        if letter.isascii() and letter.isdigit():
            self.fail(rf"back-references (\{letter}) are not possible here", start)
        if letter in "bB":
            self.fail(r"\b is not possible here; a phrase has word boundaries by itself", start)
        if letter in "AZz":
            self.fail(rf"\{letter} is not possible here; write ^ or $", start)
        if letter.isascii() and letter.isalpha():
            self.fail(rf"the escape \{letter} is not known", start)
        return character_sets.of(letter)

    def character_class(self) -> CharacterSet:
        opened = self.place
        self.place += 1
        negated = self.take_if("^")
        ranges: list[character_sets.CodePoints] = []
        first = True
        while first or self.next != "]":
            if not self.next:
                self.fail(r"this class is never closed; write \[ for the character itself", opened)
            ranges += self.class_item()
            first = False
        self.place += 1
        characters = character_sets.union(ranges)
        if self.ignore_case:
            characters = character_sets.without_case(characters)
        return character_sets.complement(characters) if negated else characters

    def class_item(self) -> CharacterSet:
        """Read a character, a range or an escape inside of a class."""
        start = self.place
        low = self.class_character()
        range_follows = self.next == "-" and self.text[self.place + 1 : self.place + 2] not in ("]", "")
        if not range_follows:
            return low
        self.place += 1
        high = self.class_character()
        if _is_several(low) or _is_several(high):
            self.fail("a range needs a single character on both sides, as in [a-z]", start)
        if low > high:
            self.fail(f"the range {self.text[start : self.place]} goes down", start)
        return ((low[0][0], high[0][0]),)

    def class_character(self) -> CharacterSet:
        self.place += 1
        character = self.text[self.place - 1]
        return self.escape() if character == "\\" else character_sets.of(character)


def _is_several(characters: CharacterSet) -> bool:
    return len(characters) > 1 or characters[0][0] != characters[0][1]


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"
