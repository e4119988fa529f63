"""Clauses: the parts of a formula that must all hold, and the four states of a clause.

A clause is a disjunction of literals, as in the paper, or a *compound* clause: an and/or/count
tree that stays whole because its CNF would explode or because it is one thing to the user.
Both are the same data, a tree whose inner nodes are thresholds ("at least n of these"):
AND needs all of them, OR needs one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from neurologic.logic.formula import Atom, Phrase


@dataclass(frozen=True, slots=True)
class Literal:
    """A phrase or predicate that must be true of the text (positive) or must not (negative)."""

    atom: Atom
    positive: bool = True

    def __str__(self) -> str:
        return str(self.atom) if self.positive else f"!{self.atom}"


@dataclass(frozen=True, slots=True)
class Threshold:
    """At least `needed` of `parts` hold."""

    needed: int
    parts: tuple[Node, ...]

    def __str__(self) -> str:
        """Write the simplified tree as formula text; `Clause.text` keeps the user's own notation."""
        if self.needed not in (1, len(self.parts)):
            return f"at_least({self.needed}, {', '.join([str(part) for part in self.parts])})"
        sign = " | " if self.needed == 1 else " & "
        return sign.join([str(part) if _stands_alone(part) else f"({part})" for part in self.parts])


Node = Literal | Threshold


@dataclass(frozen=True, slots=True)
class Clause:
    """One requirement of the formula; `text` is how the user would write it."""

    root: Node
    text: str

    @property
    def literals(self) -> tuple[Literal, ...]:
        """Return the distinct literals of the clause, in order."""
        return tuple(dict.fromkeys(leaves(self.root)))

    @property
    def required_phrases(self) -> tuple[Phrase, ...]:
        """Return the phrases that are positive literals; predicates are left out."""
        return tuple(
            literal.atom for literal in self.literals if literal.positive and isinstance(literal.atom, Phrase)
        )


def _stands_alone(node: Node) -> bool:
    return isinstance(node, Literal) or node.needed not in (1, len(node.parts))


def leaves(node: Node) -> Iterator[Literal]:
    """Yield the literals of a tree in order, repeats included."""
    if isinstance(node, Literal):
        yield node
    else:
        for part in node.parts:
            yield from leaves(part)


class ClauseState(Enum):
    """The paper's four states (section 2.2)."""

    S1 = "reversibly unsatisfied"
    S2 = "irreversibly unsatisfied"
    S3 = "reversibly satisfied"
    S4 = "irreversibly satisfied"

    @property
    def satisfied(self) -> bool:
        return self in (ClauseState.S3, ClauseState.S4)


def clause_state(
    node: Node,
    occurred: Callable[[Atom], bool],
    violated: Callable[[Atom], bool] | None = None,
) -> ClauseState:
    """Return the state of a clause given which phrases have occurred and which predicates are true by now.

    Phrases only ever go from absent to present, so a present phrase makes its positive literal
    irreversibly true and its negative literal irreversibly false. Negative literals ask `violated`
    where it differs from `occurred` (while a whole word is provisional). The value of a predicate, and of a
    phrase with an exception, counts as reversible here; who knows better calls `state_of_tree`.
    """
    return state_of_tree(node, lambda literal: literal_state(literal, occurred, violated))


def literal_state(
    literal: Literal,
    occurred: Callable[[Atom], bool],
    violated: Callable[[Atom], bool] | None = None,
) -> ClauseState:
    """Return the state of a single literal; see `clause_state`."""
    if not isinstance(literal.atom, Phrase) or literal.atom.unless is not None:
        return ClauseState.S3 if occurred(literal.atom) == literal.positive else ClauseState.S1
    if literal.positive:
        return ClauseState.S4 if occurred(literal.atom) else ClauseState.S1
    return ClauseState.S2 if (violated or occurred)(literal.atom) else ClauseState.S3


def state_of_tree(node: Node, state: Callable[[Literal], ClauseState]) -> ClauseState:
    """Return the state of a clause given the states of its literals."""
    if isinstance(node, Literal):
        return state(node)
    counts = dict.fromkeys(ClauseState, 0)
    for part in node.parts:
        counts[state_of_tree(part, state)] += 1
    if counts[ClauseState.S4] >= node.needed:
        return ClauseState.S4
    if counts[ClauseState.S4] + counts[ClauseState.S3] >= node.needed:
        return ClauseState.S3
    if len(node.parts) - counts[ClauseState.S2] >= node.needed:
        return ClauseState.S1
    return ClauseState.S2
