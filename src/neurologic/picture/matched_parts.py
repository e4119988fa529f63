"""The parts of texts that matter to their clauses, for the ends of all branches of a search.

Texts inside a branch show the parts of its end that they have already. A formula with very many phrases gets
no marks: a picture must not take longer than the search.
"""

from __future__ import annotations

from neurologic.errors import NeurologicError
from neurologic.logic import Clause, ClauseReport, marking, parse, to_clauses
from neurologic.logic.clauses import ClauseState
from neurologic.picture.search_tree import SearchTree

# The most phrases times texts to look for.
_MOST_WORK = 200_000

# From, to, and whether the part is forbidden.
Part = tuple[int, int, bool]


def matched_parts(tree: SearchTree) -> dict[int, list[Part]]:
    """Return the marked parts of the texts of all leaves that lived, or broke a clause."""
    clauses = _clauses(tree)
    leaves = [
        number for number in tree.leaves() if tree.nodes[number].is_alive or "2" in tree.nodes[number].states
    ]
    phrases = sum(len(clause.literals) for clause in clauses)
    if phrases * len(leaves) > _MOST_WORK:
        return {}
    return {number: parts for number in leaves if (parts := _parts(tree, number, clauses))}


def _clauses(tree: SearchTree) -> list[Clause]:
    try:
        return [clause for text in tree.clauses for clause in to_clauses(parse(text))]
    except NeurologicError:  # a clause that has no text form, such as one of token ids
        return []


def _parts(tree: SearchTree, number: int, clauses: list[Clause]) -> list[Part]:
    states = [ClauseState[f"S{digit}"] for digit in tree.nodes[number].states]
    reports = [
        ClauseReport(text, state.satisfied, state) for text, state in zip(tree.clauses, states, strict=False)
    ]
    parts: list[Part] = []
    start = 0
    for part in marking.marked(tree.text_of(number), clauses, reports, in_units=False):
        end = start + len(part.text)
        if part.mark is not marking.Mark.NONE:
            parts.append((start, end, part.mark is marking.Mark.FORBIDDEN))
        start = end
    return parts
