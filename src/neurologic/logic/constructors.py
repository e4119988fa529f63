"""The functions that users write formulas with.

Strings are phrases everywhere, taken literally; formula text such as "a & b" goes through
`neurologic.logic.parser.parse` instead. The names avoid Python's own `all`, `any` and `not`.
"""

from __future__ import annotations

from collections.abc import Iterable

from neurologic.logic.cardinality import AtLeast, AtMost, Exactly
from neurologic.logic.formula import And, Formula, Iff, Implies, Inflect, Not, Or, Phrase, as_formula
from neurologic.logic.phrase_validation import Case, Match


def phrase(
    text: str,
    *,
    match: Match = "word",
    case: Case = "fold",
    ids: Iterable[int] | None = None,
    times: int = 1,
) -> Phrase:
    """A phrase that occurs in the text: whole words, in any case, once or more, unless told otherwise.

    >>> print(phrase("flying disc"), phrase("C++", case="exact"))
    "flying disc" "C++"[case=exact]
    >>> print(phrase("dog") & ~phrase("dog", times=2))  # just once
    dog & !dog[times=2]
    """
    return Phrase(text, match, case, None if ids is None else tuple(ids), times)


def inflect(word: str, pos: str | None = None, *, case: Case = "fold") -> Inflect:
    """Any inflected form of `word`, or of one part of speech (noun, verb, adjective, adverb) of it.

    >>> [form.text for form in inflect("catch", "verb").forms]
    ['catch', 'caught', 'catching', 'catches']
    """
    return Inflect(word, pos, case)


def all_of(*parts: Formula | str) -> Formula:
    """Every part holds. Of nothing, it is trivially true."""
    formula = And(tuple(map(as_formula, parts)))
    return formula.parts[0] if len(formula.parts) == 1 else formula


def any_of(*parts: Formula | str) -> Formula:
    """At least one part holds. Of nothing, it can never hold and is an error."""
    formula = Or(tuple(map(as_formula, parts)))
    return formula.parts[0] if len(formula.parts) == 1 else formula


def none_of(*parts: Formula | str) -> Formula:
    """No part holds.

    >>> print(none_of("cat", "flying disc"))
    !cat & !"flying disc"
    """
    return all_of(*(Not(as_formula(part)) for part in parts))


def at_least(n: int, *parts: Formula | str) -> Formula:
    """`n` or more of the different parts hold.

    >>> print(at_least(2, "red", "green", "blue"))
    at_least(2, red, green, blue)
    """
    return AtLeast(n, tuple(map(as_formula, parts)))


def at_most(n: int, *parts: Formula | str) -> Formula:
    """`n` or fewer of the different parts hold."""
    return AtMost(n, tuple(map(as_formula, parts)))


def exactly(n: int, *parts: Formula | str) -> Formula:
    """Just `n` of the different parts hold."""
    return Exactly(n, tuple(map(as_formula, parts)))


def implies(condition: Formula | str, consequence: Formula | str) -> Formula:
    """If the condition holds, so does the consequence (`condition >> consequence`); no order is meant."""
    return Implies(as_formula(condition), as_formula(consequence))


def iff(left: Formula | str, right: Formula | str) -> Formula:
    """Both sides hold, or neither."""
    return Iff(as_formula(left), as_formula(right))
