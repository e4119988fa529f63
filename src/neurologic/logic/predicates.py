"""Predicates: what a formula can say of a text beyond "this phrase occurs".

A predicate is a Boolean function of the finished text and an atom of formulas, as a phrase is: it can be
negated, joined, counted, and put into clauses. This module holds the values only. `specification` says when
each of them is true; `neurologic.matching` follows them while a text grows.

Predicates judge the text itself, without outer whitespace; what stands before it (a raw prompt) is no part
of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

from neurologic.errors import FormulaError
from neurologic.logic.formula import Atom, Formula, Inflect, Or, Phrase, Predicate

__all__ = [
    "Atom", "Ends", "Length", "Measure", "Near", "Nth", "Order", "Predicate", "Prefer", "Range", "Regex",
    "Starts", "Unit", "UnitCount", "choices",
]  # fmt: skip

Unit = OneOf["word", "sentence", "line", "paragraph"]
Measure = OneOf["character", "word", "sentence", "line", "paragraph"]


@dataclass(frozen=True, slots=True)
class Range:
    """How many: from `low` to `high`, both included; no upper bound where `high` is None."""

    low: int = 0
    high: int | None = None

    def __contains__(self, number: int) -> bool:
        return self.low <= number and (self.high is None or number <= self.high)


@dataclass(frozen=True, slots=True)
class Order(Predicate):
    """The parts occur one after the other, in this order, not overlapping, with anything between."""

    parts: tuple[Formula, ...]  # each a phrase, an `inflect`, or a disjunction of these; see `choices`


@dataclass(frozen=True, slots=True)
class Near(Predicate):
    """Both parts occur, with at most `distance` words between them, in either order."""

    distance: int
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Starts(Predicate):
    """The text begins with the part."""

    part: Formula


@dataclass(frozen=True, slots=True)
class Ends(Predicate):
    """The text ends with the part."""

    part: Formula


@dataclass(frozen=True, slots=True)
class Length(Predicate):
    """The text has so many characters, words, sentences, lines or paragraphs."""

    measure: Measure
    range: Range


@dataclass(frozen=True, slots=True)
class Regex(Predicate):
    """A regular expression matches somewhere or, if `whole`, the whole text."""

    expression: str
    ignore_case: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class UnitCount(Predicate):
    """So many units of the text, each taken as a text of its own, make `part` true.

    `some(sentence, F)` is 1 or more, `no(sentence, F)` is 0, `every(sentence, F)` is 0 units with !F.
    """

    range: Range
    unit: Unit
    part: Formula
    notation: OneOf["count", "some", "no", "every"] = "count"


@dataclass(frozen=True, slots=True)
class Nth(Predicate):
    """The unit at a place makes `part` true: 1 is the first, -1 the last; false if there is none."""

    place: int
    unit: Unit
    part: Formula


@dataclass(frozen=True, slots=True)
class Prefer(Predicate):
    """A wish: always true, weighs in the ranking, is reported, never forced."""

    part: Formula
    weight: float = 1.0


def choices(part: Formula) -> tuple[Phrase, ...]:
    """Return the phrases of which a part of `order`, `near`, `starts` or `ends` needs one.

    >>> [phrase.text for phrase in choices(Phrase("dog") | Inflect("cat"))]
    ['dog', 'cat', 'cats']
    """
    match part:
        case Phrase():
            return (part,)
        case Inflect():
            return part.forms
        case Or(parts):
            return tuple(dict.fromkeys(phrase for inner in parts for phrase in choices(inner)))
    raise FormulaError(f"expected a phrase, inflect(…), or phrases joined by |, not {part}")
