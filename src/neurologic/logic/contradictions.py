"""Contradictions between clauses, found before any model runs and told in the user's words.

What is found: everything that follows by unit propagation and phrase containment ("ice cream" has "ice" in
it), and for small problems everything that follows from the clauses at all. What is reported is always a
real contradiction, but not finding one is no promise: phrases may still be unable to stand together for
reasons of spelling or length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neurologic.errors import ContradictionError
from neurologic.logic.clause_trees import size
from neurologic.logic.clauses import Clause, Literal, Node
from neurologic.logic.containment import certainly_contains, containment
from neurologic.logic.formula import Phrase
from neurologic.logic.refutation import Containment, refute

__all__ = ["Explanation", "certainly_contains", "containment", "find_contradiction", "require_consistent"]

_MINIMISED = 40  # clauses; a larger refutation is reported as it is
_LISTED = 12  # clauses named in the message
_SHOWN = 200  # characters of each


@dataclass(frozen=True)
class Explanation:
    """Clauses that cannot hold together, as the user wrote them, and why."""

    clauses: tuple[str, ...]
    message: str


def find_contradiction(clauses: Sequence[Clause]) -> Explanation | None:
    """The clauses that leave no way for a text, or None if there is none to be seen.

    >>> from neurologic.logic.normal_form import to_clauses
    >>> from neurologic.logic.parser import parse
    >>> print(find_contradiction(to_clauses(parse('dog & "ice cream" & !ice'))).message)
    no text can satisfy the formula: "ice cream" is required, but contains ice, which is forbidden; drop one
    """
    contains = containment(literal.phrase for clause in clauses for literal in clause.literals)
    core = refute([clause.root for clause in clauses], contains)
    if core is None:
        return None
    culprits = _minimised([clauses[index] for index in sorted(core)], contains)
    return Explanation(tuple(clause.text for clause in culprits), _message(culprits, contains))


def require_consistent(clauses: Sequence[Clause]) -> None:
    """Raise `ContradictionError`, naming the clauses, if they cannot hold together."""
    explanation = find_contradiction(clauses)
    if explanation is not None:
        raise ContradictionError(explanation.message, explanation.clauses)


def _minimised(culprits: list[Clause], contains: Containment) -> list[Clause]:
    """Drop clauses as long as the rest still clashes, so that nobody looks at innocent ones."""
    if len(culprits) > _MINIMISED:
        return culprits
    for clause in sorted(culprits, key=lambda clause: -size(clause.root)):
        fewer = [other for other in culprits if other is not clause]
        if fewer and refute([other.root for other in fewer], contains) is not None:
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


def _required_and_forbidden(culprits: list[Clause]) -> tuple[Phrase, Phrase] | None:
    """The two phrases, if a required and a forbidden one are all there is to it."""
    required = [phrase for clause in culprits if (phrase := _unit(clause.root, True)) is not None]
    forbidden = [phrase for clause in culprits if (phrase := _unit(clause.root, False)) is not None]
    both = len(culprits) == 2 and len(required) == len(forbidden) == 1
    return (required[0], forbidden[0]) if both else None


def _unit(root: Node, positive: bool) -> Phrase | None:
    return root.phrase if isinstance(root, Literal) and root.positive == positive else None


def _containments(culprits: list[Clause], contains: Containment) -> list[tuple[Phrase, Phrase]]:
    """Which phrase contains which, among those that push one another in the clauses."""
    literals = dict.fromkeys(literal for clause in culprits for literal in clause.literals)
    pushing = [
        (outer.phrase, inner)
        for outer in literals
        for inner in (contains.get(outer.phrase, ()) if outer.positive else ())
        if Literal(inner, False) in literals
    ]
    return sorted(pushing, key=str)[:_LISTED]
