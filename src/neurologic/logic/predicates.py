"""Predicates: what a formula can say of a text beyond "this phrase occurs".

A predicate is a Boolean function of the finished text and an atom of formulas, as a phrase is: it can be
negated, joined, counted, and put into clauses. This module holds the values only. `specification` says when
each of them is true; `neurologic.matching` follows them while a text grows.

Predicates judge the text itself, without outer whitespace; what stands before it (a raw prompt) is no part
of it.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

from neurologic.errors import FormulaError
from neurologic.logic.characters import composed
from neurologic.logic.expression_parser import read_expression
from neurologic.logic.expressions import Expression
from neurologic.logic.formula import Atom, Formula, Inflect, Not, Or, Phrase, Predicate
from neurologic.logic.phrase_validation import checked_option
from neurologic.logic.ranges import MOST, Range, checked_number
from neurologic.logic.units import MEASURES, UNITS, Measure, Unit

__all__ = [
    "Atom", "Ends", "Length", "Measure", "Near", "Nth", "Order", "Predicate", "Prefer", "Range", "Regex",
    "Starts", "Unit", "UnitCount", "choices", "phrases_inside", "predicates_of",
]  # fmt: skip

_SPELLED = re.compile(r"\\.|\n", re.DOTALL)
_SPELLINGS = {"\\/": "/", "\\\n": "\\n", "\n": "\\n"}  # of slashes and line breaks in expressions
MAX_QUANTIFIERS = 8  # inside each other; there are four kinds of units, so more says nothing new


@dataclass(frozen=True, slots=True)
class Order(Predicate):
    """The parts occur one after the other, in this order, not overlapping, with anything between."""

    parts: tuple[Formula, ...]  # each a phrase, an `inflect`, or a disjunction of these; see `choices`

    def __post_init__(self) -> None:
        if len(self.parts) < 2:
            raise FormulaError("order needs two phrases or more, as in order(first, then)")
        for part in self.parts:
            _checked_part("order", part)
        Formula.__post_init__(self)

    @property
    def operands(self) -> tuple[Formula, ...]:
        return self.parts

    @property
    def key(self) -> Hashable:
        return (Order, *map(_part_key, self.parts))

    def __str__(self) -> str:
        return f"order({', '.join(map(str, self.parts))})"


@dataclass(frozen=True, slots=True)
class Near(Predicate):
    """Both parts occur, with at most `distance` words between them, in either order."""

    distance: int
    left: Formula
    right: Formula

    def __post_init__(self) -> None:
        checked_number("the distance of near", self.distance)
        for part in self.operands:
            _checked_part("near", part)
        Formula.__post_init__(self)

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.left, self.right)

    @property
    def key(self) -> Hashable:
        return (Near, self.distance, frozenset((_part_key(self.left), _part_key(self.right))))

    def __str__(self) -> str:
        return f"near({self.distance}, {self.left}, {self.right})"


@dataclass(frozen=True, slots=True)
class _AtAnEdge(Predicate):
    """The part stands at an edge of the text."""

    part: Formula
    name = ""

    def __post_init__(self) -> None:
        _checked_part(self.name, self.part)
        Formula.__post_init__(self)

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.part,)

    @property
    def key(self) -> Hashable:
        return (type(self), _part_key(self.part))

    def __str__(self) -> str:
        return f"{self.name}({self.part})"


@dataclass(frozen=True, slots=True)
class Starts(_AtAnEdge):
    """The text begins with the part."""

    name = "starts"


@dataclass(frozen=True, slots=True)
class Ends(_AtAnEdge):
    """The text ends with the part."""

    name = "ends"


@dataclass(frozen=True, slots=True)
class Length(Predicate):
    """The text has so many characters, words, sentences, lines or paragraphs."""

    measure: Measure
    range: Range

    def __post_init__(self) -> None:
        checked_option("the measure of a length", self.measure, MEASURES)

    def __str__(self) -> str:
        return f"{self.measure}s({self.range})"


@dataclass(frozen=True, slots=True)
class Regex(Predicate):
    """A regular expression matches somewhere or, if `whole`, the whole text."""

    expression: str
    ignore_case: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.expression, str) or not self.expression:
            raise FormulaError(f"an expression must be a string that is not empty, not {self.expression!r}")
        # One spelling of slashes and line breaks, so that formula text reads back as it was.
        spelled = re.sub(
            r"\\.|\n", lambda found: _SPELLINGS.get(found[0], found[0]), self.expression, flags=re.S
        )
        object.__setattr__(self, "expression", composed(spelled))
        _ = self.tree

    @property
    def tree(self) -> Expression:
        return read_expression(self.expression, ignore_case=self.ignore_case)

    def __str__(self) -> str:
        escaped = self.expression.replace("/", "\\/")
        written = f"/{escaped}/" + ("i" if self.ignore_case else "")
        return f"fully({written})" if self.whole else written


@dataclass(frozen=True, slots=True)
class UnitCount(Predicate):
    """So many units of the text, each taken as a text of its own, make `part` true.

    `some(sentence, F)` is 1 or more, `no(sentence, F)` is 0, `every(sentence, F)` is 0 units with !F.
    """

    range: Range
    unit: Unit
    part: Formula
    notation: OneOf["count", "some", "no", "every"] = "count"

    def __post_init__(self) -> None:
        checked_option("the unit", self.unit, UNITS)
        _checked_inner(self.notation, self.part)
        Formula.__post_init__(self)

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.part,)

    @property
    def counted(self) -> Formula:
        """Return what the counted units make true: `part`, or its negation for "every"."""
        return Not(self.part) if self.notation == "every" else self.part

    @property
    def key(self) -> Hashable:
        return (UnitCount, self.range, self.unit, self.counted)

    def __str__(self) -> str:
        count = f"{self.range}, " if self.notation == "count" else ""
        return f"{self.notation}({count}{self.unit}, {self.part})"


@dataclass(frozen=True, slots=True)
class Nth(Predicate):
    """The unit at a place makes `part` true: 1 is the first, -1 the last; false if there is none."""

    place: int
    unit: Unit
    part: Formula

    def __post_init__(self) -> None:
        checked_option("the unit", self.unit, UNITS)
        if (
            not isinstance(self.place, int)
            or isinstance(self.place, bool)
            or not 1 <= abs(self.place) <= MOST
        ):
            raise FormulaError(
                f"the place of nth must be a whole number from 1 to {MOST:,}, or from -1 (the last) down to "
                f"-{MOST:,}, not {self.place}"
            )
        _checked_inner("nth", self.part)
        Formula.__post_init__(self)

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.part,)

    def __str__(self) -> str:
        name = {1: "first(", -1: "last("}.get(self.place, f"nth({self.place}, ")
        return f"{name}{self.unit}, {self.part})"


@dataclass(frozen=True, slots=True)
class Prefer(Predicate):
    """A wish: always true, weighs in the ranking, is reported, never forced."""

    part: Formula
    weight: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.weight, bool) or not isinstance(self.weight, (int, float)):
            raise FormulaError(f"the weight of prefer must be a number, not {self.weight!r}")
        if not 0.001 <= self.weight <= 1000:
            raise FormulaError(
                f"the weight of prefer must be from 0.001 to 1000, not {self.weight}; to be without "
                "something, prefer !…"
            )
        object.__setattr__(self, "weight", float(self.weight))
        _checked_inner("prefer", self.part)
        Formula.__post_init__(self)

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.part,)

    def __str__(self) -> str:
        return f"prefer({self.part}" + (f", {self.weight!r})" if self.weight != 1 else ")")


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


def predicates_of(formula: Formula) -> Iterator[Predicate]:
    """Yield the predicates that a formula joins, but not those inside of them."""
    if isinstance(formula, Predicate):
        yield formula
    else:
        for part in formula.operands:
            yield from predicates_of(part)


def phrases_inside(formula: Formula) -> Iterator[Phrase]:
    """Yield every phrase that a formula speaks of, also inside of its predicates."""
    yield from formula.phrases()
    for predicate in predicates_of(formula):
        for part in predicate.operands:
            yield from phrases_inside(part)


def _part_key(part: Formula) -> Hashable:
    return frozenset(phrase.key for phrase in choices(part))


def _checked_part(name: str, part: Formula) -> None:
    """Refuse all but phrases with a place in the text: `times` and token ids have none."""
    if isinstance(part, Or):
        for inner in part.parts:
            _checked_part(name, inner)
    elif isinstance(part, Phrase):
        if part.match == "tokens" or part.times > 1:
            raise FormulaError(f"{name} takes phrases without times and token ids, not {part}")
    elif not isinstance(part, Inflect):
        raise FormulaError(f"{name} takes phrases, inflect(…), or these joined by |, not {part}")


def _checked_inner(name: str, part: Formula) -> None:
    """Refuse formulas that cannot be judged on a unit of the text."""
    if any(phrase.match == "tokens" for phrase in part.phrases()):
        raise FormulaError(f"{name} cannot look for token ids: {part} has a phrase with match=tokens")
    if any(isinstance(predicate, Prefer) for predicate in predicates_of(part)):
        raise FormulaError(f"{name} cannot have a wish inside; join prefer(…) to the whole formula with &")
    if name != "prefer" and _quantifiers(part) >= MAX_QUANTIFIERS:
        raise FormulaError(
            f"more than {MAX_QUANTIFIERS} of every, some, no, count, first, last and nth are inside each "
            "other; write it flatter"
        )


def _quantifiers(formula: Formula) -> int:
    """Return how many quantifiers are inside each other at most."""
    return max(
        (
            1 + _quantifiers(predicate.part)
            for predicate in predicates_of(formula)
            if isinstance(predicate, (UnitCount, Nth))
        ),
        default=0,
    )
