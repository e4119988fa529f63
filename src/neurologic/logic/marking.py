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
    """The text in parts, each with its mark; joined they are the text.

    A phrase that a clause wants is marked wherever it stands, also where it does not stand often enough. A
    phrase that a clause forbids is marked where it occurs and that clause is unmet: in "!rain | umbrella" an
    umbrella allows the rain.

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
            continue  # one dog is not what "!dog[times=2]" forbids
        for start, end in places:
            for place in range(start, end):
                marks[place] = max(marks[place], mark, key=lambda one: one.value)
    return [
        Part("".join(character for character, _ in group), mark)
        for mark, group in groupby(zip(text, marks, strict=True), key=lambda pair: pair[1])
    ]


def _phrases(clauses: Sequence[Clause], reports: Sequence[ClauseReport]) -> dict[Phrase, Mark]:
    """The phrases to look for; where clauses disagree about one, that it is forbidden is what matters."""
    satisfied = {report.text for report in reports if report.satisfied}
    found: dict[Phrase, Mark] = {}
    for clause in clauses:
        for literal in clause.literals:
            if literal.positive:
                found.setdefault(literal.phrase, Mark.FOUND)
            elif clause.text not in satisfied:
                found[literal.phrase] = Mark.FORBIDDEN
    return found
