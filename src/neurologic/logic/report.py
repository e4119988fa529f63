"""The verdict on a finished text, clause by clause, with the plain specification and nothing else.

It needs neither model nor tokenizer. A text does not show its token ids, so for phrases that match on ids a
caller who knows them passes `occurred` instead. Reports quote words as they stand in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neurologic.logic.clauses import Clause, ClauseState, Literal, Node, state_of_tree
from neurologic.logic.evidence import evidence
from neurologic.logic.formula import Atom, Formula, Phrase
from neurologic.logic.json_format import to_formula
from neurologic.logic.normal_form import to_clauses
from neurologic.logic.permanence import state_of_literal
from neurologic.logic.spans import spans
from neurologic.logic.specification import is_true


@dataclass(frozen=True)
class ClauseReport:
    """One clause of the formula, judged on the finished text.

    text       the clause as the user wrote it
    satisfied  whether the text satisfies it
    state      S1–S4 of the paper, at the end of the text; of predicates as far as `permanence` knows
    by         the words that decide it, as they stand in the text: those that satisfy it or, if it is unmet,
               the forbidden ones; for a predicate what the text has of it, such as "14 words"
    absent     the forbidden phrases whose absence satisfies it, as the user wrote them
    """

    text: str
    satisfied: bool
    state: ClauseState
    by: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """What decides the clause, for people: "dog", "no cat", or the forbidden words of an unmet clause."""
        absent = (f"no {', '.join(self.absent)}",) if self.absent else ()
        return ", ".join((*self.by, *absent))

    def to_json(self) -> dict[str, Any]:
        fields = {
            "clause": self.text,
            "satisfied": self.satisfied,
            "state": self.state.name,
            "by": list(self.by),
        }
        return fields | ({"absent": list(self.absent)} if self.absent else {})


def check(
    constraint: Formula | str | Mapping[str, Any] | Sequence[Any] | None,
    text: str,
    before: str = "",
    *,
    occurred: Callable[[Phrase], bool] | None = None,
) -> tuple[ClauseReport, ...]:
    """Return one report per clause of a formula (or of clauses already made) on a finished text.

    `before` is the end of a raw prompt, as in `occurs`. `occurred` says which phrases occur, in place of
    the text.

    >>> [
    ...     (report.text, report.satisfied, report.reason)
    ...     for report in check("(dog | wolf) & !cat & !cow", "A Dog. A cat.")
    ... ]
    [('dog | wolf', True, 'Dog'), ('!cat', False, 'cat'), ('!cow', True, 'no cow')]
    """
    found: dict[Atom, bool] = {}

    def look(atom: Atom) -> bool:
        if atom not in found:
            if isinstance(atom, Phrase) and occurred is not None:
                found[atom] = occurred(atom)
            else:
                found[atom] = is_true(atom, text, before=before)
        return found[atom]

    def state_of(literal: Literal) -> ClauseState:
        return state_of_literal(literal, look(literal.atom), text)

    reports = []
    for clause in _clauses(constraint):
        state = state_of_tree(clause.root, state_of)
        deciding = _satisfying(clause.root, state_of) if state.satisfied else _unsatisfying(clause, look)
        by: dict[str, None] = {}
        absent: dict[str, None] = {}
        for atom in deciding:
            if not isinstance(atom, Phrase):
                by |= dict.fromkeys(evidence(atom, text))
            elif look(atom):
                by |= dict.fromkeys(_words(atom, text, before))
            else:
                absent[atom.text if atom.times == 1 else str(atom)] = None
        reports.append(ClauseReport(clause.text, state.satisfied, state, tuple(by), tuple(absent)))
    return tuple(reports)


def _clauses(constraint: Formula | str | Mapping[str, Any] | Sequence[Any] | None) -> Sequence[Clause]:
    if isinstance(constraint, (list, tuple)) and all(isinstance(clause, Clause) for clause in constraint):
        return constraint
    formula = to_formula(constraint)
    return () if formula is None else to_clauses(formula)


def _words(phrase: Phrase, text: str, before: str) -> Iterator[str]:
    """Yield a phrase as it stands in the text, at as many places as it needs; ids have no place there."""
    places = spans(phrase, text, before=before)[: phrase.times]
    for start, end in places:
        yield " ".join(text[start:end].split())
    if not places:
        yield phrase.text


def _unsatisfying(clause: Clause, true: Callable[[Atom], bool]) -> Iterator[Atom]:
    """Yield what speaks against the clause: the forbidden phrases that occur, and the predicates."""
    for literal in clause.literals:
        if not isinstance(literal.atom, Phrase) or (not literal.positive and true(literal.atom)):
            yield literal.atom


def _satisfying(node: Node, state_of: Callable[[Literal], ClauseState]) -> Iterator[Atom]:
    """Yield the atoms that are settled; if they are not enough, also those that more text could change."""
    if isinstance(node, Literal):
        yield node.atom
        return
    states = [(part, state_of_tree(part, state_of)) for part in node.parts]
    settled = [part for part, state in states if state is ClauseState.S4]
    enough = len(settled) >= node.needed
    for part in settled if enough else [part for part, state in states if state.satisfied]:
        yield from _satisfying(part, state_of)
