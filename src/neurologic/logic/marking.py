"""Mark the parts of a text that matter to its clauses: required phrases, and forbidden ones that occur."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import groupby
from typing import NamedTuple

from neurologic.logic.clauses import Clause
from neurologic.logic.expressions import first_match
from neurologic.logic.formula import Atom, Formula, Phrase
from neurologic.logic.normal_form import to_clauses
from neurologic.logic.predicates import Ends, Near, Nth, Order, Regex, Starts, UnitCount, choices
from neurologic.logic.report import ClauseReport, check
from neurologic.logic.spans import Span, spans
from neurologic.logic.specification import holds
from neurologic.logic.units import canonical, unit_spans


class Mark(Enum):
    """Why a part of a text is marked; a later one hides an earlier one."""

    NONE = 0
    FOUND = 1
    FORBIDDEN = 2


class Part(NamedTuple):
    """A stretch of a text with one mark."""

    text: str
    mark: Mark


def marked(
    text: str,
    clauses: Sequence[Clause],
    reports: Sequence[ClauseReport],
    *,
    before: str = "",
    in_units: bool = True,
) -> list[Part]:
    """Split a text into parts with their marks; joined, the parts are the text.

    Mark a required phrase wherever it occurs, even if it occurs too rarely, and the first match of an
    expression. Mark a phrase that a clause forbids where it occurs and the clause is unmet: in
    "!rain | umbrella" an umbrella allows the rain.

    Of the words, sentences, … that a clause asks for, mark what matters inside of them, or else the whole
    unit; mark those that there should be none of. `in_units=False` saves the time for that.

    >>> from neurologic.logic import check, parse, to_clauses
    >>> clauses = to_clauses(parse("dog & !cat"))
    >>> text = "A dog, a cat."
    >>> [(part.text, part.mark.name) for part in marked(text, clauses, check(clauses, text))]
    [('A ', 'NONE'), ('dog', 'FOUND'), (', a ', 'NONE'), ('cat', 'FORBIDDEN'), ('.', 'NONE')]
    """
    marks = [Mark.NONE] * len(text)
    for phrase, mark in _phrases(clauses, reports).items():
        places = spans(phrase, text, before=before)
        if len(places) < phrase.times and mark is Mark.FORBIDDEN:
            continue  # "!dog[times=2]" does not forbid a single dog
        _mark(marks, places, mark)
    for clause in clauses:
        for literal in clause.literals:
            if literal.positive and isinstance(literal.atom, Regex):
                _mark(marks, _match(literal.atom, text), Mark.FOUND)
            elif literal.positive and in_units and isinstance(literal.atom, (UnitCount, Nth)):
                for start, end, mark in _in_units(literal.atom, text):
                    _mark(marks, [(start, end)], mark)
    return [
        Part("".join(character for character, _ in group), mark)
        for mark, group in groupby(zip(text, marks, strict=True), key=lambda pair: pair[1])
    ]


def _mark(marks: list[Mark], places: Sequence[Span], mark: Mark) -> None:
    for start, end in places:
        for place in range(start, end):
            marks[place] = max(marks[place], mark, key=lambda mark: mark.value)


def _match(regex: Regex, text: str) -> list[Span]:
    """Return where an expression matches first; the whole text, without outer whitespace, if it must."""
    if not regex.whole:
        match = first_match(regex.tree, text)
        return [] if match is None else [match]
    start = len(text) - len(text.lstrip())
    return [(start, start + len(text.strip()))] if holds(regex, text) else []


def _in_units(predicate: UnitCount | Nth, text: str) -> Iterator[tuple[int, int, Mark]]:
    """Yield the marks of a predicate on units."""
    written = canonical(text)
    if written != text.strip():
        return  # places there are not those of the text
    first = len(text) - len(text.lstrip())
    places = unit_spans(predicate.unit, written)
    none_wanted = isinstance(predicate, UnitCount) and predicate.range.high == 0
    if isinstance(predicate, Nth):
        index = predicate.place - 1 if predicate.place > 0 else predicate.place + len(places)
        places = places[index : index + 1] if 0 <= index < len(places) else []
    every = isinstance(predicate, UnitCount) and predicate.notation == "every"
    for start, end in places:
        unit = written[start:end]
        if not holds(predicate.part, unit):
            continue
        if none_wanted and not every:
            yield first + start, first + end, Mark.FORBIDDEN
            continue
        inside = _found(predicate.part, unit)
        for a, b in inside or ([] if every else [(0, len(unit))]):
            yield first + start + a, first + start + b, Mark.FOUND


def _found(part: Formula, unit: str) -> list[Span]:
    """Return the stretches of a unit that matter to a formula that holds of it."""
    clauses = to_clauses(part)
    found: list[Span] = []
    end = 0
    for piece in marked(unit, clauses, check(clauses, unit)):
        start, end = end, end + len(piece.text)
        if piece.mark is Mark.FOUND:
            found.append((start, end))
    return found


def _phrases(clauses: Sequence[Clause], reports: Sequence[ClauseReport]) -> dict[Phrase, Mark]:
    """Return the phrases to mark; if clauses disagree about a phrase, it counts as forbidden."""
    satisfied = {report.text for report in reports if report.satisfied}
    found: dict[Phrase, Mark] = {}
    for clause in clauses:
        for literal in clause.literals:
            if literal.positive:
                for phrase in _wanted(literal.atom):
                    found.setdefault(phrase, Mark.FOUND)
            elif isinstance(literal.atom, Phrase) and clause.text not in satisfied:
                found[literal.atom] = Mark.FORBIDDEN
    return found


def _wanted(atom: Atom) -> Iterator[Phrase]:
    """Yield the phrases that an atom asks for everywhere in the text."""
    match atom:
        case Phrase():
            yield atom
        case Order() | Near() | Starts() | Ends():
            for part in atom.operands:
                yield from choices(part)
