"""Split formula text into words, quoted phrases and symbols, and report errors with their place.

This is the lexical half of the parser; it knows no grammar. A token here is one of formula text, not of a
model.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple, NoReturn

from neurologic.errors import FormulaError
from neurologic.limits import current_limits
from neurologic.logic.quoting import (
    FUNCTION_WORDS,
    OPERATOR_WORDS,
    PREDICATE_WORDS,
    QUOTES,
    end_of_bare_word,
    is_bare_character,
)

_SYMBOLS = {
    "<->": "<->", "<=>": "<->", "↔": "<->", "⇔": "<->",
    "->": "->", "=>": "->", "→": "->", "⇒": "->",
    "||": "|", "|": "|", "∨": "|",
    "&&": "&", "&": "&", "∧": "&",
    "!": "!", "~": "!", "¬": "!",
    "(": "(", ")": ")", "[": "[", "]": "]", ",": ",", "=": "=",
}  # fmt: skip
_SYMBOL = re.compile("|".join(re.escape(symbol) for symbol in sorted(_SYMBOLS, key=len, reverse=True)))
_ESCAPE = re.compile(r"u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|[ntr]|[^0-9A-Za-z]", re.DOTALL)
# Ranges, fractions and negative numbers; other numbers are bare words.
_NUMBER = re.compile(r"(?:\d*\.\.\d*|-?\d+\.\d+|-\d+)(?![\w.])", re.ASCII)
_EXPRESSION = re.compile(r"/((?:[^/\\\n]|\\[^\n])+)/(\w*)")
_CALL = re.compile(r"\s*\(")
_SHORT_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_SHOWN = 100  # characters of a long line that an error shows


class FormulaSyntaxError(FormulaError):
    """Formula text that cannot be read; `line` and `column` (from 1) say where."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[type, tuple[str, int, int]]:
        return type(self), (str(self), self.line, self.column)


class Token(NamedTuple):
    """A piece of formula text; `value` is the phrase, function, number, expression, or symbol as usual."""

    kind: Literal["word", "quoted", "function", "number", "expression", "symbol", "end"]
    value: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """Return all tokens of `text`, the last of kind "end".

    >>> [token.value for token in tokenize("dog->!'big cat'")]
    ['dog', '->', '!', 'big cat', '']
    """
    current_limits().require("formula_characters", len(text), "the formula")
    tokens: list[Token] = []
    start = 0
    while start < len(text):
        if text[start].isspace():
            start += 1
        else:
            tokens.append(_token(text, start))
            start = tokens[-1].end
    tokens.append(Token("end", "", len(text.rstrip()), len(text)))
    return tokens


def complain(text: str, position: int, problem: str, hint: str = "") -> NoReturn:
    """Raise a `FormulaSyntaxError` that shows the line and points at the place."""
    line_start = text.rfind("\n", 0, position) + 1
    line_end = text.find("\n", position)
    line = text[line_start : len(text) if line_end < 0 else line_end]
    number, column = text.count("\n", 0, position) + 1, position - line_start
    first = max(0, column - _SHOWN // 2)
    before, after = line[first:column], line[column : first + _SHOWN]
    shown = ("…" if first else "") + before + after + ("…" if first + _SHOWN < len(line) else "")
    padding = (" " if first else "") + "".join(map(_blank_like, before))
    message = f"formula, line {number}, column {column + 1}: {problem}\n  {shown}\n  {padding}^"
    raise FormulaSyntaxError(message + (f"\n{hint}" if hint else ""), number, column + 1)


def _token(text: str, start: int) -> Token:
    number = _NUMBER.match(text, start)
    if number is not None:
        return Token("number", number.group(), start, number.end())
    end = end_of_bare_word(text, start)
    if end > start:
        word = text[start:end]
        plain = word.lower()
        if plain in OPERATOR_WORDS:
            return Token("symbol", OPERATOR_WORDS[plain], start, end)
        if plain in FUNCTION_WORDS or (plain in PREDICATE_WORDS and _CALL.match(text, end)):
            return Token("function", plain, start, end)
        return Token("word", word, start, end)
    if text[start] in QUOTES:
        return _quoted(text, start)
    if text[start] == "/":
        return _expression(text, start)
    symbol = _SYMBOL.match(text, start)
    if symbol is None:
        complain(
            text,
            start,
            f"{text[start]} is not part of a bare word",
            'put the phrase in quotes: "C++", "3.5 %"',
        )
    return Token("symbol", _SYMBOLS[symbol.group()], start, symbol.end())


def _quoted(text: str, start: int) -> Token:
    closing = QUOTES[text[start]]
    pieces: list[str] = []
    end = start + 1
    while end < len(text):
        character = text[end]
        if character in closing:
            return Token("quoted", "".join(pieces), start, end + 1)
        if character == "\\":
            escape = _ESCAPE.match(text, end + 1)
            if escape is None:
                complain(text, end, "this escape is not known", r"write a backslash itself as \\")
            pieces.append(_unescaped(text, end, escape.group()))
            end = escape.end()
        else:
            pieces.append(character)
            end += 1
    hint = ""
    if start and text[start] == "'" and is_bare_character(text[start - 1]):
        hint = 'a word that ends in an apostrophe needs quotes: "dogs\'"'
    complain(text, start, f"the quote {text[start]} is never closed", hint)


def _expression(text: str, start: int) -> Token:
    """Read `/…/` or `/…/i`; a slash inside of it is written with a backslash."""
    found = _EXPRESSION.match(text, start)
    if found is None:
        empty = text.startswith("//", start)
        problem = "the expression is empty" if empty else "the expression that begins here is never closed"
        complain(text, start, problem, 'expressions are /…/; a phrase with a slash needs quotes: "and/or"')
    if found[2] not in ("", "i"):
        complain(
            text, found.start(2), f"{found[2]} is no flag of an expression", "the only flag is i: ignore case"
        )
    return Token("expression", found[1], start, found.end())


def _unescaped(text: str, position: int, escape: str) -> str:
    if len(escape) == 1:
        return _SHORT_ESCAPES.get(escape, escape)
    code = int(escape[1:], 16)
    if code > 0x10FFFF:
        complain(text, position, "there is no such character")
    return chr(code)


def _blank_like(character: str) -> str:
    """Return as many columns of blank as the character takes in a terminal."""
    if character == "\t":
        return "\t"
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return ""
    return "  " if unicodedata.east_asian_width(character) in "WF" else " "
