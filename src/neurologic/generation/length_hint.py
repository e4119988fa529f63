"""Tell the model in words how long a text should be, and how it begins and ends.

Only clauses that are a single literal are told, and only what a person would say: a length in words, sentences,
lines or paragraphs, the first and the last words. The words are English.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neurologic.logic.clauses import Clause, Literal
from neurologic.logic.formula import Predicate
from neurologic.logic.predicates import Length, Range

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MEASURES = ("paragraph", "line", "sentence", "word")


def length_hint(clauses: Sequence[Clause]) -> str:
    """Return a sentence about the lengths that a formula asks for; "" if it asks for none.

    >>> from neurologic.logic import parse, to_clauses
    >>> length_hint(to_clauses(parse("words(10..20) & sentences(2) & !dog")))
    'Write two sentences, 10 to 20 words.'
    """
    lengths = {length.measure: length.range for length in _lengths(clauses)}
    parts = [_told(measure, lengths[measure]) for measure in _MEASURES if measure in lengths]
    return f"Write {', '.join(parts)}." if parts else ""


def _lengths(clauses: Sequence[Clause]) -> Iterator[Length]:
    for clause in clauses:
        root = clause.root
        if isinstance(root, Literal) and root.positive and isinstance(root.atom, Predicate):
            if isinstance(root.atom, Length):
                yield root.atom


def _told(measure: str, number: Range) -> str:
    low, high = number.low, number.high
    if high is None:
        return f"at least {_number(low)} {_plural(measure, low)}"
    if low == high:
        return f"{'exactly ' if measure == 'word' else ''}{_number(low)} {_plural(measure, low)}"
    if low <= 1:
        return f"at most {_number(high)} {_plural(measure, high)}"
    return f"{low} to {high} {_plural(measure, high)}"


def _number(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _plural(measure: str, number: int) -> str:
    return measure if number == 1 else measure + "s"
