"""Formula text to formulas: `dog & (frisbee | "flying disc") & !cat`.

From tight to loose: `!` (also ~ ¬ not), `&` (&& ∧ and), `|` (|| ∨ or), `->` (=> → implies; groups to the
right), `<->` (<=> ↔ iff). Operands are bare words, quoted phrases, `( … )`, `inflect(word)`,
`inflect(word, verb)`, `inflect(word, any)`, and `all any none at_least at_most exactly`; options follow in
brackets, as in `"C++"[case=exact]`.

This module only reads. `quoting` knows the spelling of words and quotes, which the printer shares.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, NoReturn

from neurologic.errors import FormulaError, suggestion
from neurologic.logic.constructors import all_of, any_of, at_least, at_most, exactly, iff, implies, none_of
from neurologic.logic.formula import MAX_DEPTH, Formula, Inflect, Not, Phrase
from neurologic.logic.inflection import ANY
from neurologic.logic.lexer import FormulaSyntaxError, Token, complain, tokenize
from neurologic.logic.quoting import FUNCTION_WORDS, quoted

__all__ = ["FormulaSyntaxError", "parse"]

_GROUPS: dict[str, Callable[..., Formula]] = {"all": all_of, "any": any_of, "none": none_of}
_COUNTS: dict[str, Callable[..., Formula]] = {"at_least": at_least, "at_most": at_most, "exactly": exactly}
# How operands of one operator make a formula, the loosest operator first.
_JOINS: dict[str, Callable[..., Formula]] = {
    "<->": lambda *sides: reduce(iff, sides),
    "->": lambda *sides: reduce(lambda right, left: implies(left, right), reversed(sides)),
    "|": any_of,
    "&": all_of,
}
_OPTIONS = ("match", "case", "ids", "times", "number", "unless")


def parse(text: str) -> Formula:
    """Return the formula that `text` writes; raise a `FormulaSyntaxError` that shows the place otherwise.

    >>> parse("dog and not cat") == Phrase("dog") & ~Phrase("cat")
    True
    """
    if not isinstance(text, str):
        raise FormulaError(f"formula text must be a string, not {type(text).__name__}")
    return _Parser(text).whole()


class _Parser:
    """One reading of one text; `position` is the index of the next token."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.position = 0
        self.nesting = 0

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
        found = {"end": "the end", "quoted": written}.get(self.next.kind, f'"{written}"')
        complain(self.text, self.next.start, f"found {found}, expected {expected}", hint)

    def build(self, at: Token, make: Callable[..., Formula], *arguments: Any) -> Formula:
        """Make a formula; add the place to what its constructor refuses."""
        try:
            return make(*arguments)
        except FormulaError as error:
            complain(self.text, at.start, str(error))

    def whole(self) -> Formula:
        formula = self.expression()
        if self.next.kind != "end":
            self.fail_after_operand("or the end")
        return formula

    def fail_after_operand(self, otherwise: str) -> NoReturn:
        before, after = self.tokens[self.position - 1], self.next
        hint = ""
        if before.kind == after.kind == "word":
            several = quoted(f"{before.value} {after.value}")
            hint = f"a phrase of several words needs quotes: {several}"
        elif before.kind == "word" and after.kind == "symbol" and after.value == "(":
            known = ", ".join(FUNCTION_WORDS)
            hint = f"there is no function {before.value}" + (
                suggestion(before.value.lower(), FUNCTION_WORDS) or f"; the functions are {known}"
            )
        elif after.kind == "symbol" and after.value == "[":
            hint = "options go directly after a phrase, as in art[match=substring]"
        self.fail(f"an operator ({' '.join(reversed(_JOINS))}) {otherwise}", hint)

    def expression(self) -> Formula:
        """Read operands joined by operators, and group them by how tightly the operators bind."""
        first = self.next
        operands, operators = [self.operand()], []
        while self.next.kind == "symbol" and self.next.value in _JOINS:
            operators.append(self.take().value)
            operands.append(self.operand())
        return self.grouped(first, operands, operators, list(_JOINS))

    def grouped(
        self, first: Token, operands: list[Formula], operators: list[str], levels: list[str]
    ) -> Formula:
        """Split at the operators that bind loosest, `levels[0]`, and group each side by the others."""
        if not operators:
            return operands[0]
        loosest, *tighter = levels
        ends = [place for place, symbol in enumerate(operators, 1) if symbol == loosest] + [len(operands)]
        sides = [
            self.grouped(first, operands[start:end], operators[start : end - 1], tighter)
            for start, end in zip([0, *ends], ends, strict=False)
        ]
        return sides[0] if len(sides) == 1 else self.build(first, _JOINS[loosest], *sides)

    def operand(self) -> Formula:
        first = self.next
        negations = 0
        while self.take_if("!"):
            negations += 1
        token = self.next
        if token.kind in ("word", "quoted"):
            formula = self.phrase()
        elif token.kind == "function":
            formula = self.function()
        elif self.take_if("("):
            formula = self.nested(token, self.expression)
            if not self.take_if(")"):
                self.fail_after_operand(f'or ")" for the parenthesis opened {self.place_of(token)}')
        else:
            self.fail('a phrase, "(" or "!"')
        for _ in range(negations):
            formula = self.build(first, Not, formula)
        return formula

    def place_of(self, token: Token) -> str:
        line = self.text.count("\n", 0, token.start) + 1
        column = token.start - self.text.rfind("\n", 0, token.start)
        return f"at line {line}, column {column}"

    def nested(self, at: Token, read: Callable[[], Formula]) -> Formula:
        self.nesting += 1
        if self.nesting > MAX_DEPTH:
            complain(
                self.text,
                at.start,
                f"the formula is nested more than {MAX_DEPTH} levels deep; write it flatter",
            )
        formula = read()
        self.nesting -= 1
        return formula

    def phrase(self) -> Formula:
        token = self.take()
        options = self.options()
        return self.build(token, lambda: Phrase(token.value, **options))

    def function(self) -> Formula:
        name = self.take()
        if not self.take_if("("):
            phrase = quoted(self.text[name.start : name.end])
            hint = f"{name.value} is a reserved word; the phrase needs quotes: {phrase}"
            self.fail(f'"(" after {name.value}', hint)
        return self.nested(name, lambda: self.inflect(name) if name.value == "inflect" else self.group(name))

    def at_number(self) -> bool:
        value = self.next.value
        return self.next.kind == "word" and value.isascii() and value.isdecimal() and len(value) < 10

    def group(self, name: Token) -> Formula:
        parts: list[Formula] = []
        count: list[int] = []
        if name.value in _COUNTS:
            if not self.at_number():
                self.fail(f"a whole number, as in {name.value}(2, red, green, blue)")
            count.append(int(self.take().value))
            self.expect(",", '"," and the phrases to count')
        if not count and self.take_if(")"):
            return self.build(name, _GROUPS[name.value])
        parts.append(self.expression())
        while self.take_if(","):
            parts.append(self.expression())
        if not self.take_if(")"):
            self.fail_after_operand(f'"," or ")" for {name.value}( {self.place_of(name)}')
        return self.build(name, (_COUNTS if count else _GROUPS)[name.value], *count, *parts)

    def inflect(self, name: Token) -> Formula:
        if self.next.kind not in ("word", "quoted"):
            self.fail("a word to inflect, as in inflect(run)")
        word = self.take().value
        pos = None
        if self.take_if(","):
            if self.next.kind not in ("word", "quoted") and self.next.value != ANY:
                self.fail("a part of speech, as in inflect(run, verb)")
            pos = self.take().value
        self.expect(")", '")"; several words need quotes, as in inflect("ice cream", noun)')
        options = self.options()
        if options.keys() - {"case"}:
            complain(self.text, name.start, "inflect takes no option but case")
        return self.build(name, lambda: Inflect(word, pos, **options))

    def options(self) -> dict[str, Any]:
        """Read `[key=value, …]` after a phrase, or nothing."""
        options: dict[str, Any] = {}
        if not self.take_if("["):
            return options
        while True:
            key = self.next.value
            if self.next.kind != "word" or key not in _OPTIONS:
                self.fail(f"an option ({', '.join(_OPTIONS)})" + suggestion(key, _OPTIONS))
            if key in options:
                complain(self.text, self.next.start, f"the option {key} is given twice")
            self.take()
            self.expect("=", f'"=" and a value for {key}')
            options[key] = self.option_value(key)
            if not self.take_if(","):
                break
        self.expect("]", '"," or "]"')
        return options

    def option_value(self, key: str) -> str | int | tuple[int, ...]:
        if key == "ids":
            return self.ids()
        if key == "times":
            if not self.at_number():
                self.fail("a whole number, as in dog[times=2]")
            return int(self.take().value)
        if key == "unless" and self.next.kind == "quoted":
            return self.take().value
        if self.next.kind != "word":
            self.fail(f"a value for {key}")
        return self.take().value

    def ids(self) -> tuple[int, ...]:
        ids: list[int] = []
        while self.at_number():
            ids.append(int(self.take().value))
        if not ids:
            self.fail("token ids, as in ids=12 7")
        return tuple(ids)


assert set(_GROUPS) | set(_COUNTS) | {"inflect"} == set(FUNCTION_WORDS)
