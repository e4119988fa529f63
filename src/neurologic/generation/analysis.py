"""Analyse a formula: its clauses, whether any text can satisfy them, and what they cost.

Without a compiler this needs the logic alone. With one it also tells how many tokens a text takes, and how
the model usually writes each required phrase. Commands print an analysis, the server sends it as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from neurologic.errors import ContradictionError, UnspellableError
from neurologic.generation.token_cost import Cost, cost_of
from neurologic.logic import (
    Atom,
    Clause,
    Explanation,
    Formula,
    Literal,
    Phrase,
    check,
    find_contradiction,
    split_wishes,
    to_clauses,
)
from neurologic.logic.clauses import ClauseState
from neurologic.logic.meaning import advice, meaning, statement
from neurologic.logic.predicates import Prefer

if TYPE_CHECKING:
    from neurologic.feasibility.compiled_constraint import CompiledConstraint


@dataclass(frozen=True)
class FormulaAnalysis:
    """The parts of an explanation; `cost` and `unspellable` need a model."""

    formula: Formula
    clauses: Sequence[Clause]
    wishes: Sequence[Prefer]
    contradiction: Explanation | None
    cost: Cost | None = None
    unspellable: str | None = None

    @property
    def satisfiable(self) -> bool:
        """Whether nothing speaks against a text of this model that satisfies the formula."""
        return self.contradiction is None and self.unspellable is None

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "formula": str(self.formula),
            "clauses": list(map(_clause_fields, self.clauses)),
            "contradiction": None,
        }
        if self.wishes:
            document["wishes"] = [_wish_fields(wish) for wish in self.wishes]
        if self.contradiction is not None:
            message, clauses = self.contradiction.message, self.contradiction.clauses
            document["contradiction"] = {"message": message, "clauses": list(clauses)}
        if self.cost is not None:
            document["cost"] = self.cost.to_json()
        if self.unspellable is not None:
            document["unspellable"] = self.unspellable
        return document


def analyse(
    formula: Formula, compiled: Callable[[Formula], CompiledConstraint] | None = None
) -> FormulaAnalysis:
    """Analyse a formula; `compiled` compiles it for a model, and is not called for a contradiction."""
    required, wishes = split_wishes(formula)
    try:
        clauses = () if required is None else to_clauses(required)
    except ContradictionError as error:  # a part that is false by itself
        return FormulaAnalysis(formula, (), wishes, Explanation(error.clauses, str(error)))
    analysis = FormulaAnalysis(formula, clauses, wishes, find_contradiction(clauses))
    if compiled is None or analysis.contradiction is not None:
        return analysis
    try:
        return replace(analysis, cost=cost_of(compiled(formula)))
    except UnspellableError as error:
        return replace(analysis, unspellable=str(error))


def clause_kind(clause: Clause) -> str:
    """Return whether a clause is a disjunction of literals, as in the paper, or a tree that stays whole."""
    parts = (clause.root,) if isinstance(clause.root, Literal) else clause.root.parts
    plain = all(isinstance(part, Literal) for part in parts)
    plain = plain and (isinstance(clause.root, Literal) or clause.root.needed == 1)
    return "disjunction" if plain else "compound"


def first_state(clause: Clause) -> ClauseState:
    """Return the state of a clause before anything is written."""
    return check([clause], "", occurred=lambda _: False)[0].state


def _clause_fields(clause: Clause) -> dict[str, Any]:
    return {
        "clause": clause.text,
        "kind": clause_kind(clause),
        "state": first_state(clause).name,
        "becomes": str(clause.root),
        "meaning": meaning(clause),
        "satisfied_by": advice(clause),
        "literals": [
            _atom_fields(literal.atom) | {"positive": literal.positive} for literal in clause.literals
        ],
    }


def _atom_fields(atom: Atom) -> dict[str, Any]:
    if isinstance(atom, Phrase):
        return {"phrase": atom.text, "times": atom.times}
    return {"predicate": str(atom)}


def _wish_fields(wish: Prefer) -> dict[str, Any]:
    return {"wish": str(wish.part), "weight": wish.weight, "meaning": statement(wish.part)}
