"""Walk over the tokens of formula text, with errors that say what was found and what was expected.

`TokenReader` reads single tokens and plain values (numbers, ranges, units, expressions); the parser builds
formulas on top of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from neurologic.errors import FormulaError, suggestion
from neurologic.logic.formula import Formula
from neurologic.logic.lexer import Token, complain, tokenize
from neurologic.logic.ranges import Range, read_range
from neurologic.logic.units import UNITS

_Made = TypeVar("_Made")


class TokenReader:
    """One reading of one text; `position` is the index of the next token."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.position = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.position]

    def take(self) -> Token:
        token = self.tokens[self.position]
        self.position += 1
        return token

    def take_if(self, *symbols: str) -> bool:
        found = self.next.kind == "symbol" and self.next.value in symbols
        self.position += found
        return found

    def expect(self, symbol: str, expected: str) -> None:
        if not self.take_if(symbol):
            self.fail(expected)

    def fail(self, expected: str, hint: str = "") -> NoReturn:
        written = self.text[self.next.start : self.next.end]
        plain = self.next.kind in ("quoted", "expression")
        found = "the end" if self.next.kind == "end" else written if plain else f'"{written}"'
        complain(self.text, self.next.start, f"found {found}, expected {expected}", hint)

    def build(self, at: Token, make: Callable[..., _Made], *arguments: Any, **options: Any) -> _Made:
        """Make a formula or a value; add the place to what its constructor refuses."""
        try:
            return make(*arguments, **options)
        except FormulaError as error:
            complain(self.text, at.start, str(error))

    def place_of(self, token: Token) -> str:
        line = self.text.count("\n", 0, token.start) + 1
        column = token.start - self.text.rfind("\n", 0, token.start)
        return f"at line {line}, column {column}"

    def at_number(self) -> bool:
        value = self.next.value
        return self.next.kind == "word" and value.isascii() and value.isdecimal()

    def number(self, expected: str) -> int:
        """Read a whole number from 0 on."""
        if not self.at_number():
            self.fail(expected)
        if len(self.next.value) > 9:
            self.fail("a smaller number")
        return int(self.take().value)

    def place(self, expected: str) -> int:
        """Read a place: 3, or -2 counted from the end."""
        if self.next.kind == "number" and self.next.value.removeprefix("-").isdecimal():
            if len(self.next.value) > 9:
                self.fail("a smaller number")
            return int(self.take().value)
        return self.number(expected)

    def range(self, expected: str) -> Range:
        """Read 12, 10..20, ..20 or 2..."""
        if not self.at_number() and not (self.next.kind == "number" and ".." in self.next.value):
            self.fail(expected)
        token = self.take()
        return self.build(token, read_range, token.value)

    def weight(self, expected: str) -> float:
        """Read a number with or without a fraction."""
        decimal = self.next.kind == "number" and ".." not in self.next.value
        if not decimal and not self.at_number():
            self.fail(expected)
        return float(self.take().value)

    def unit(self, expected: str) -> str:
        if self.next.kind not in ("word", "function") or self.next.value not in UNITS:
            close = suggestion(self.next.value, UNITS)
            self.fail(f"{expected}{close}")
        return self.take().value

    def expression(self, expected: str) -> dict[str, Any]:
        """Read `/…/` or `/…/i`, as arguments of a constructor."""
        if self.next.kind != "expression":
            self.fail(expected)
        token = self.take()
        return {"expression": token.value, "ignore_case": self.text[token.end - 1] != "/"}

    def formula(self) -> Formula:
        """Read a formula; the parser knows how."""
        raise NotImplementedError
