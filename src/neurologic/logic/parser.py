"""Formula text to formulas: `dog & (frisbee | "flying disc") & !cat`.

From tight to loose: `!` (also ~ ¬ not), `&` (&& ∧ and), `|` (|| ∨ or), `->` (=> → implies; groups to the
right), `<->` (<=> ↔ iff). Operands are bare words, quoted phrases, `( … )`, `inflect(word)`,
`inflect(word, verb)`, `inflect(word, any)`, `all any none at_least at_most exactly`, expressions (`/…/`), and
the predicates of `signatures`; options follow in brackets, as in `"C++"[case=exact]`.

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
from neurologic.logic.lexer import FormulaSyntaxError, Token, complain
from neurologic.logic.predicate_constructors import regex
from neurologic.logic.quoting import FUNCTION_WORDS, PREDICATE_WORDS, quoted
from neurologic.logic.signatures import SIGNATURES, Kind
from neurologic.logic.token_reader import TokenReader

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
_DESCRIBED: dict[Kind, str] = {
    "formula": "a formula",
    "number": "a whole number",
    "place": "a place (1 is the first, -1 the last)",
    "range": "a number or a range (12, 10..20, ..20, 2..)",
    "unit": "a unit (word, sentence, line, paragraph)",
    "expression": "an expression (/…/)",
    "weight": "a weight",
}
_OPTIONS = ("match", "case", "ids", "times", "number", "unless")

# What people call some functions elsewhere.
_OTHER_NAMES = {
    "begins": "starts",
    "begins_with": "starts",
    "each": "every",
    "letters": "characters",
    "regex": "fully",
    "match": "fully",
    "before": "order",
}


def parse(text: str) -> Formula:
    """Return the formula that `text` writes; raise a `FormulaSyntaxError` that shows the place otherwise.

    >>> parse("dog and not cat") == Phrase("dog") & ~Phrase("cat")
    True
    """
    if not isinstance(text, str):
        raise FormulaError(f"formula text must be a string, not {type(text).__name__}")
    return _Parser(text).whole()


class _Parser(TokenReader):
    """One reading of one text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.nesting = 0

    def whole(self) -> Formula:
        formula = self.formula()
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
            known = (*FUNCTION_WORDS, *SIGNATURES)
            meant = _OTHER_NAMES.get(before.value.lower(), before.value.lower())
            hint = f"there is no function {before.value}" + (
                suggestion(meant, known) or f"; the functions are {', '.join(known)}"
            )
        elif after.kind == "symbol" and after.value == "[":
            hint = "options go directly after a phrase, as in art[match=substring]"
        self.fail(f"an operator ({' '.join(reversed(_JOINS))}) {otherwise}", hint)

    def formula(self) -> Formula:
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
        elif token.kind == "expression":
            formula = self.build(token, regex, **self.expression("an expression"))
        elif self.take_if("("):
            formula = self.nested(token, self.formula)
            if not self.take_if(")"):
                self.fail_after_operand(f'or ")" for the parenthesis opened {self.place_of(token)}')
        else:
            number = quoted(self.text[token.start : token.end]) if token.kind == "number" else ""
            self.fail('a phrase, "(" or "!"', number and f"as a phrase, it needs quotes: {number}")
        for _ in range(negations):
            formula = self.build(first, Not, formula)
        return formula

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
        read = {"inflect": self.inflect}.get(name.value, self.group)
        if name.value in SIGNATURES:
            read = self.predicate
        return self.nested(name, lambda: read(name))

    def predicate(self, name: Token) -> Formula:
        signature = SIGNATURES[name.value]
        as_in = f", as in {signature.example}"
        arguments: list[Any] = []
        options: dict[str, Any] = {}
        for kind in signature.kinds:
            if kind == "weight" and not (self.next.kind == "symbol" and self.next.value == ","):
                break
            if arguments:
                self.expect(",", f'"," and {_DESCRIBED[kind]}{as_in}')
            match kind:
                case "formula":
                    arguments.append(self.formula())
                case "expression":
                    options = self.expression(_DESCRIBED[kind] + as_in)
                case _:
                    arguments.append(getattr(self, kind)(_DESCRIBED[kind] + as_in))
        while signature.repeats and self.take_if(","):
            arguments.append(self.formula())
        if not self.take_if(")"):
            closing = f'")" for {name.value}( {self.place_of(name)}{as_in}'
            if signature.kinds[-1] == "formula":
                self.fail_after_operand(f"or {closing}")
            self.fail(closing, "a range has two dots: 10..20" if signature.kinds == ("range",) else "")
        return self.build(name, signature.make, *arguments, **options)

    def group(self, name: Token) -> Formula:
        parts: list[Formula] = []
        count: list[int] = []
        if name.value in _COUNTS:
            count.append(self.number(f"a whole number, as in {name.value}(2, red, green, blue)"))
            self.expect(",", '"," and the phrases to count')
        if not count and self.take_if(")"):
            return self.build(name, _GROUPS[name.value])
        parts.append(self.formula())
        while self.take_if(","):
            parts.append(self.formula())
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
            return self.number("a whole number, as in dog[times=2]")
        if key == "unless" and self.next.kind == "quoted":
            return self.take().value
        if self.next.kind != "word":
            self.fail(f"a value for {key}")
        return self.take().value

    def ids(self) -> tuple[int, ...]:
        ids: list[int] = []
        while self.at_number():
            ids.append(self.number("a token id"))
        if not ids:
            self.fail("token ids, as in ids=12 7")
        return tuple(ids)


assert set(_GROUPS) | set(_COUNTS) | {"inflect"} == set(FUNCTION_WORDS)
assert set(SIGNATURES) == set(PREDICATE_WORDS)
