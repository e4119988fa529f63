"""Find the parts of a text that its clauses are about: required phrases, and forbidden ones that occur."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from itertools import groupby
from typing import NamedTuple

from neurologic.experiments.runs.phrase_spans import phrase_spans
from neurologic.logic import Clause, ClauseReport, Phrase


class Mark(IntEnum):
    """Why a part of a text is marked; a larger value hides a smaller one."""

    NONE = 0
    FOUND = 1
    FORBIDDEN = 2


class Part(NamedTuple):
    """A stretch of a text with one mark."""

    text: str
    mark: Mark


def highlight(
    text: str, clauses: Sequence[Clause], reports: Sequence[ClauseReport], *, before: str = ""
) -> list[Part]:
    """Return the text in parts, each with its mark.

    A required phrase is marked wherever it occurs, even if it does not occur often enough. A forbidden phrase
    is marked if its clause is unmet: in "!rain | umbrella" an umbrella allows the rain.

    >>> from neurologic.logic import check, parse, to_clauses
    >>> clauses = to_clauses(parse("dog & !cat"))
    >>> text = "A dog, a cat."
    >>> [(part.text, part.mark.name) for part in highlight(text, clauses, check(clauses, text))]
    [('A ', 'NONE'), ('dog', 'FOUND'), (', a ', 'NONE'), ('cat', 'FORBIDDEN'), ('.', 'NONE')]
    """
    marks = [Mark.NONE] * len(text)
    for phrase, mark in _phrases(clauses, reports).items():
        places = phrase_spans(phrase, text, before=before)
        if len(places) < phrase.times and mark is Mark.FORBIDDEN:
            continue  # "!dog[times=2]" does not forbid a single dog
        for start, end in places:
            for place in range(start, end):
                marks[place] = max(marks[place], mark)
    return [
        Part("".join(character for character, _ in group), mark)
        for mark, group in groupby(zip(text, marks, strict=True), key=lambda pair: pair[1])
    ]


def _phrases(clauses: Sequence[Clause], reports: Sequence[ClauseReport]) -> dict[Phrase, Mark]:
    """Return the phrases to look for; one that is both required and forbidden counts as forbidden."""
    satisfied = {report.text for report in reports if report.satisfied}
    found: dict[Phrase, Mark] = {}
    for clause in clauses:
        for literal in clause.literals:
            if literal.positive:
                found.setdefault(literal.phrase, Mark.FOUND)
            elif clause.text not in satisfied:
                found[literal.phrase] = Mark.FORBIDDEN
    return found
