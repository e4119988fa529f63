"""The functions with which users write predicates in Python: order, position, lengths, units, expressions.

As in `constructors`, a string is a phrase, taken literally. A number of things is 12 (exactly), "10..20",
"..20", "2..", or a pair such as (2, None); lengths also take two numbers, `words(10, 20)`.
"""

from __future__ import annotations

from types import EllipsisType

from neurologic.errors import FormulaError
from neurologic.logic.formula import Formula, as_formula
from neurologic.logic.predicates import Ends, Length, Near, Nth, Order, Prefer, Regex, Starts, UnitCount
from neurologic.logic.ranges import Range, read_range
from neurologic.logic.units import Measure, Unit

HowMany = int | str | Range | tuple[int | None, int | None]


def order(*parts: Formula | str) -> Order:
    """Require phrases one after the other, in this order, not overlapping, with anything between.

    >>> print(order("price", "warranty"))
    order(price, warranty)
    """
    return Order(tuple(map(as_formula, parts)))


def near(distance: int, left: Formula | str, right: Formula | str) -> Near:
    """Require two phrases with at most `distance` words between them, in either order."""
    return Near(distance, as_formula(left), as_formula(right))


def starts(part: Formula | str) -> Starts:
    """Require a phrase at the very start of the text."""
    return Starts(as_formula(part))


def ends(part: Formula | str) -> Ends:
    """Require a phrase at the very end of the text: `ends("x.")` if a full stop follows it."""
    return Ends(as_formula(part))


def characters(low: HowMany | None, high: int | EllipsisType | None = ...) -> Length:
    """Require so many characters, outer whitespace aside."""
    return _length("character", low, high)


def words(low: HowMany | None, high: int | EllipsisType | None = ...) -> Length:
    """Require so many words; None means no bound.

    >>> print(words(12), words(10, 20), words(10, None), words(None, 20), words("10..20"))
    words(12) words(10..20) words(10..) words(..20) words(10..20)
    """
    return _length("word", low, high)


def sentences(low: HowMany | None, high: int | EllipsisType | None = ...) -> Length:
    """Require so many sentences."""
    return _length("sentence", low, high)


def lines(low: HowMany | None, high: int | EllipsisType | None = ...) -> Length:
    """Require so many lines."""
    return _length("line", low, high)


def paragraphs(low: HowMany | None, high: int | EllipsisType | None = ...) -> Length:
    """Require so many paragraphs."""
    return _length("paragraph", low, high)


def regex(expression: str, *, ignore_case: bool = False) -> Regex:
    r"""Require a match of a regular expression somewhere in the text.

    >>> print(regex(r"20\d\d-\d\d"))
    /20\d\d-\d\d/
    """
    return Regex(expression, ignore_case)


def fully(expression: str, *, ignore_case: bool = False) -> Regex:
    """Require that a regular expression matches the whole text."""
    return Regex(expression, ignore_case, whole=True)


def every(unit: Unit, part: Formula | str) -> UnitCount:
    """Require a formula of every word, sentence, line or paragraph, each taken as a text of its own.

    >>> print(every("sentence", words(None, 20)))
    every(sentence, words(..20))
    """
    return UnitCount(Range(0, 0), unit, as_formula(part), "every")


def some(unit: Unit, part: Formula | str) -> UnitCount:
    """Require a formula of at least one unit."""
    return UnitCount(Range(1), unit, as_formula(part), "some")


def no(unit: Unit, part: Formula | str) -> UnitCount:
    """Forbid a formula of every unit."""
    return UnitCount(Range(0, 0), unit, as_formula(part), "no")


def count(how_many: HowMany, unit: Unit, part: Formula | str) -> UnitCount:
    """Require that a formula holds of so many units.

    >>> print(count("2..", "sentence", "price"))
    count(2.., sentence, price)
    """
    return UnitCount(_range(how_many, ...), unit, as_formula(part))


def first(unit: Unit, part: Formula | str) -> Nth:
    """Require a formula of the first unit; there must be one."""
    return Nth(1, unit, as_formula(part))


def last(unit: Unit, part: Formula | str) -> Nth:
    """Require a formula of the last unit; there must be one."""
    return Nth(-1, unit, as_formula(part))


def nth(place: int, unit: Unit, part: Formula | str) -> Nth:
    """Require a formula of the unit at a place: 1 is the first, -1 the last; there must be one."""
    return Nth(place, unit, as_formula(part))


def prefer(part: Formula | str, weight: float = 1.0) -> Prefer:
    """Wish for a formula: it adds `weight` (in nats) to the score of a text, and nothing is promised.

    >>> print("dog" & prefer("park", 1.5))
    dog & prefer(park, 1.5)
    """
    return Prefer(as_formula(part), weight)


def _length(measure: Measure, low: HowMany | None, high: int | EllipsisType | None) -> Length:
    return Length(measure, _range(low, high))


def _range(low: HowMany | None, high: int | EllipsisType | None) -> Range:
    if isinstance(high, EllipsisType):
        match low:
            case Range():
                return low
            case str():
                return read_range(low)
            case int():
                return Range(low, low)
            case (lowest, highest):
                return Range(lowest or 0, highest)
    elif low is None or isinstance(low, int):
        return Range(low or 0, high)
    raise FormulaError(f'expected how many, as in 12, "10..20", "2.." or two numbers, not {low!r}')
