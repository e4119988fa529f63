"""Mark the parts of a text that matter to its clauses: required phrases, and forbidden ones that occur."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import groupby
from typing import NamedTuple

from neurologic.logic.clauses import Clause
from neurologic.logic.formula import Phrase
from neurologic.logic.report import ClauseReport
from neurologic.logic.spans import spans


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
    text: str, clauses: Sequence[Clause], reports: Sequence[ClauseReport], *, before: str = ""
) -> list[Part]:
    """Split a text into parts with their marks; joined, the parts are the text.

    Mark a required phrase wherever it occurs, even if it occurs too rarely. Mark a phrase that a
    clause forbids where it occurs and the clause is unmet: in "!rain | umbrella" an umbrella allows the rain.

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
        for start, end in places:
            for place in range(start, end):
                marks[place] = max(marks[place], mark, key=lambda mark: mark.value)
    return [
        Part("".join(character for character, _ in group), mark)
        for mark, group in groupby(zip(text, marks, strict=True), key=lambda pair: pair[1])
    ]


def _phrases(clauses: Sequence[Clause], reports: Sequence[ClauseReport]) -> dict[Phrase, Mark]:
    """Return the phrases to mark; if clauses disagree about a phrase, it counts as forbidden."""
    satisfied = {report.text for report in reports if report.satisfied}
    found: dict[Phrase, Mark] = {}
    for clause in clauses:
        for literal in clause.literals:
            if not isinstance(literal.atom, Phrase):
                continue
            if literal.positive:
                found.setdefault(literal.atom, Mark.FOUND)
            elif clause.text not in satisfied:
                found[literal.atom] = Mark.FORBIDDEN
    return found
