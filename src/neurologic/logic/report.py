"""The verdict on a finished text, clause by clause, with `occurs` and nothing else.

It needs neither model nor tokenizer. A text does not show its token ids, so for phrases that match on ids a
caller who knows them passes `occurred` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neurologic.logic.clauses import Clause, ClauseState, Literal, Node, clause_state
from neurologic.logic.formula import Formula, Phrase
from neurologic.logic.json_format import to_formula
from neurologic.logic.normal_form import to_clauses
from neurologic.logic.occurrence import occurs


@dataclass(frozen=True)
class ClauseReport:
    """One clause of the formula, judged on the finished text.

    text       the clause as the user wrote it
    satisfied  whether the text satisfies it
    state      S1–S4 of the paper, at the end of the text
    by         the phrases that satisfy it: those found, or the forbidden ones that are absent
    """

    text: str
    satisfied: bool
    state: ClauseState
    by: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """Why the clause is satisfied, for people: "dog", or "no cat" where nothing else decides."""
        phrases = ", ".join(self.by)
        negated = self.text.startswith("!inflect(") or (self.text.startswith("!") and "(" not in self.text)
        return f"no {phrases}" if phrases and negated and self.state is ClauseState.S3 else phrases

    def to_json(self) -> dict[str, Any]:
        return {
            "clause": self.text,
            "satisfied": self.satisfied,
            "state": self.state.name,
            "by": list(self.by),
        }


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
    ...     (report.text, report.satisfied, report.by)
    ...     for report in check("(dog | wolf) & !cat", "A dog. A cat.")
    ... ]
    [('dog | wolf', True, ('dog',)), ('!cat', False, ())]
    """
    found: dict[Phrase, bool] = {}

    def look(phrase: Phrase) -> bool:
        if phrase not in found:
            found[phrase] = occurs(phrase, text, before=before) if occurred is None else occurred(phrase)
        return found[phrase]

    reports = []
    for clause in _clauses(constraint):
        state = clause_state(clause.root, look)
        satisfying = _satisfying(clause.root, look) if state.satisfied else ()
        by = dict.fromkeys(phrase.text if phrase.times == 1 else str(phrase) for phrase in satisfying)
        reports.append(ClauseReport(clause.text, state.satisfied, state, tuple(by)))
    return tuple(reports)


def _clauses(constraint: Formula | str | Mapping[str, Any] | Sequence[Any] | None) -> Sequence[Clause]:
    if isinstance(constraint, (list, tuple)) and all(isinstance(clause, Clause) for clause in constraint):
        return constraint
    formula = to_formula(constraint)
    return () if formula is None else to_clauses(formula)


def _satisfying(node: Node, occurred: Callable[[Phrase], bool]) -> Iterator[Phrase]:
    """Yield the phrases found; if they are not enough, also the forbidden phrases that are absent."""
    if isinstance(node, Literal):
        yield node.phrase
        return
    states = [(part, clause_state(part, occurred)) for part in node.parts]
    settled = [part for part, state in states if state is ClauseState.S4]
    enough = len(settled) >= node.needed
    for part in settled if enough else [part for part, state in states if state.satisfied]:
        yield from _satisfying(part, occurred)
