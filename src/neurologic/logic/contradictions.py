"""Explain, in the user's words, why clauses contradict each other; `refutation` decides whether they do.

Refutation finds everything that follows by unit propagation and phrase containment ("ice cream" has "ice" in
it), and for small problems everything that follows from the clauses at all. Everything it finds is a real
contradiction, but finding none proves nothing: spelling or length may still make the phrases incompatible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neurologic.errors import ContradictionError
from neurologic.logic.clause_trees import size
from neurologic.logic.clauses import Clause, Literal, Threshold
from neurologic.logic.containment import containment
from neurologic.logic.formula import Atom, Formula, Phrase, Predicate
from neurologic.logic.implications import implications
from neurologic.logic.length_implications import Axiom
from neurologic.logic.normal_form import to_clauses
from neurologic.logic.refutation import Containment, refute

_MINIMISED = 40  # clauses; a larger refutation is reported as it is
_ASKED = 100  # questions about parts of predicates
_LISTED = 12  # clauses named in the message
_SHOWN = 200  # characters of each


@dataclass(frozen=True)
class Explanation:
    """Clauses that cannot hold together, as the user wrote them, and why."""

    clauses: tuple[str, ...]
    message: str


def find_contradiction(clauses: Sequence[Clause]) -> Explanation | None:
    """Return the clauses that no text can satisfy together, or None if the search finds none.

    >>> from neurologic.logic.normal_form import to_clauses
    >>> from neurologic.logic.parser import parse
    >>> print(find_contradiction(to_clauses(parse('dog & "ice cream" & !ice'))).message)
    no text can satisfy the formula: "ice cream" is required, but contains ice, which is forbidden; drop one
    """
    return _find(clauses, _Questions())


def _find(clauses: Sequence[Clause], excludes: _Questions) -> Explanation | None:
    axioms = _axioms(clauses, excludes)
    literals = [literal for clause in clauses for literal in clause.literals]
    literals += [literal for axiom in axioms for literal in axiom]
    contains = containment(literal.atom for literal in literals if isinstance(literal.atom, Phrase))
    refutation = _Refutation(contains, axioms)
    core = refutation.of(clauses)
    if core is None:
        return None
    culprits = _minimised(core, refutation)
    return Explanation(tuple(clause.text for clause in culprits), _message(culprits, contains))


@dataclass(frozen=True)
class _Refutation:
    """Refutes clauses together with what holds of every text."""

    contains: Containment
    axioms: Sequence[Axiom]

    def of(self, clauses: Sequence[Clause]) -> list[Clause] | None:
        """Return clauses that cannot hold together, or None if the search finds none."""
        known = [Threshold(1, axiom) if len(axiom) > 1 else axiom[0] for axiom in self.axioms]
        core = refute([*(clause.root for clause in clauses), *known], self.contains)
        return None if core is None else [clauses[index] for index in sorted(core) if index < len(clauses)]


def _axioms(clauses: Sequence[Clause], excludes: _Questions) -> list[Axiom]:
    literals = [literal for clause in clauses for literal in clause.literals]
    known = any(isinstance(literal.atom, Predicate) for literal in literals)
    return implications(literals, excludes) if known else []


class _Questions:
    """Answers whether no text makes a formula true; after some questions it does not know any more."""

    def __init__(self) -> None:
        self.left = _ASKED

    def __call__(self, formula: Formula) -> bool:
        self.left -= 1
        if self.left < 0:
            return False
        try:
            return _find(to_clauses(formula), self) is not None
        except ContradictionError:
            return True


def require_consistent(clauses: Sequence[Clause]) -> None:
    """Raise `ContradictionError`, naming the clauses, if they cannot hold together."""
    explanation = find_contradiction(clauses)
    if explanation is not None:
        raise ContradictionError(explanation.message, explanation.clauses)


def _minimised(culprits: list[Clause], refutation: _Refutation) -> list[Clause]:
    """Drop clauses as long as the rest still clashes, so that the message names only those involved."""
    if len(culprits) > _MINIMISED:
        return culprits
    for clause in sorted(culprits, key=lambda clause: -size(clause.root)):
        fewer = [other for other in culprits if other is not clause]
        if fewer and refutation.of(fewer) is not None:
            culprits = fewer
    return culprits


def _message(culprits: list[Clause], contains: Containment) -> str:
    start = "no text can satisfy the formula: "
    if len(culprits) == 1:
        return f"{start}{_shortened(culprits[0].text)} can never hold; change or drop it"
    pair = _required_and_forbidden(culprits)
    if pair is not None:
        required, forbidden = pair
        if required == forbidden:
            return f"{start}{required} is required and also forbidden; drop one"
        return f"{start}{required} is required, but contains {forbidden}, which is forbidden; drop one"
    listed = [f"  {_shortened(clause.text)}" for clause in culprits[:_LISTED]]
    if len(culprits) > _LISTED:
        listed.append(f"  and {len(culprits) - _LISTED} more")
    lines = [f"{start}these clauses cannot hold together; change or drop one of them", *listed]
    return "\n".join(
        lines + [f"({outer} contains {inner})" for outer, inner in _containments(culprits, contains)]
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _required_and_forbidden(culprits: list[Clause]) -> tuple[Atom, Atom] | None:
    """Return the two phrases if the clauses are just a required and a forbidden one."""
    literals = [clause.root for clause in culprits if isinstance(clause.root, Literal)]
    if not all(isinstance(literal.atom, Phrase) for literal in literals):
        return None
    if len(culprits) != 2 or [literal.positive for literal in literals] not in ([True, False], [False, True]):
        return None
    required, forbidden = sorted(literals, key=lambda literal: not literal.positive)
    return required.atom, forbidden.atom


def _containments(culprits: list[Clause], contains: Containment) -> list[tuple[Atom, Atom]]:
    """Return the pairs of a phrase that some clause requires and one inside it that some clause forbids."""
    literals = dict.fromkeys(literal for clause in culprits for literal in clause.literals)
    pairs = [
        (outer.atom, inner)
        for outer in literals
        for inner in (contains.get(outer.atom, ()) if outer.positive else ())
        if Literal(inner, False) in literals
    ]
    return sorted(pairs, key=str)[:_LISTED]
