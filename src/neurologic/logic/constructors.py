"""The functions with which users write formulas in Python.

A string is a phrase, taken literally; `neurologic.logic.parser.parse` reads formula text such as "a & b".
The names avoid Python's own `all`, `any` and `not`.
"""

from __future__ import annotations

from collections.abc import Iterable

from neurologic.logic.cardinality import AtLeast, AtMost, Exactly
from neurologic.logic.formula import And, Formula, Iff, Implies, Inflect, Not, Or, Phrase, as_formula
from neurologic.logic.phrase_validation import Case, Match, Number


def phrase(
    text: str,
    *,
    match: Match = "word",
    case: Case = "fold",
    ids: Iterable[int] | None = None,
    times: int = 1,
    number: Number = "whole",
    unless: str | None = None,
) -> Phrase:
    """Require a phrase in the text: by default whole words and numbers, in any case, at least once.

    >>> print(phrase("flying disc"), phrase("C++", case="exact"))
    "flying disc" "C++"[case=exact]
    >>> print(phrase("dog") & ~phrase("dog", times=2))  # just once
    dog & !dog[times=2]
    """
    return Phrase(text, match, case, None if ids is None else tuple(ids), times, number, unless)


def inflect(word: str, pos: str | None = None, *, case: Case = "fold") -> Inflect:
    """Require an inflected form of `word`: of its usual parts of speech, or of the one that `pos` names.

    `pos` is noun, verb, adjective or adverb, or any for all forms that the dictionary has.

    >>> [form.text for form in inflect("catch", "verb").forms]
    ['catch', 'caught', 'catching', 'catches']
    """
    return Inflect(word, pos, case)


def all_of(*parts: Formula | str) -> Formula:
    """Require every part. Without parts, the formula is trivially true."""
    return _joined(And, parts)


def any_of(*parts: Formula | str) -> Formula:
    """Require at least one part. Without parts, the formula could never hold and is an error."""
    return _joined(Or, parts)


def _joined(kind: type[And | Or], parts: Iterable[Formula | str]) -> Formula:
    formula = kind(tuple(map(as_formula, parts)))
    return formula.parts[0] if len(formula.parts) == 1 else formula


def none_of(*parts: Formula | str) -> Formula:
    """Forbid every part.

    >>> print(none_of("cat", "flying disc"))
    !cat & !"flying disc"
    """
    return all_of(*(Not(as_formula(part)) for part in parts))


def at_least(n: int, *parts: Formula | str) -> Formula:
    """Require `n` or more of the different parts.

    >>> print(at_least(2, "red", "green", "blue"))
    at_least(2, red, green, blue)
    """
    return AtLeast(n, tuple(map(as_formula, parts)))


def at_most(n: int, *parts: Formula | str) -> Formula:
    """Allow `n` of the different parts at most."""
    return AtMost(n, tuple(map(as_formula, parts)))


def exactly(n: int, *parts: Formula | str) -> Formula:
    """Require exactly `n` of the different parts."""
    return Exactly(n, tuple(map(as_formula, parts)))


def implies(condition: Formula | str, consequence: Formula | str) -> Formula:
    """Require the consequence if the condition holds (`condition >> consequence`), in any order."""
    return Implies(as_formula(condition), as_formula(consequence))


def iff(left: Formula | str, right: Formula | str) -> Formula:
    """Require both sides or neither."""
    return Iff(as_formula(left), as_formula(right))
