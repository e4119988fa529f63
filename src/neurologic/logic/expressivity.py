"""The kinds of constraint that decoders express, and the reduction of a formula to such a kind.

The paper's Table 1 knows three kinds of constraint: AND (all of these phrases), AND over positive sets (one
phrase of each set), and any formula. Decoders without constraints express nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from neurologic.logic.clauses import Clause, Literal, Node, Threshold
from neurologic.logic.formula import Phrase


class Expressivity(Enum):
    """The kinds of clause that a decoder can obey; each kind includes the ones before it."""

    NOTHING = "no constraint"
    PHRASES = "required phrases only"
    POSITIVE_SETS = "required phrases and sets of which one is required"
    ANYTHING = "any formula"

    def covers(self, clause: Clause) -> bool:
        """Return whether a decoder of this kind can obey a clause."""
        match self:
            case Expressivity.NOTHING:
                return False
            case Expressivity.PHRASES:
                return isinstance(clause.root, Literal) and _is_positive_set(clause.root)
            case Expressivity.POSITIVE_SETS:
                return _is_positive_set(clause.root)
            case Expressivity.ANYTHING:
                return True


@dataclass(frozen=True)
class Reduction:
    """The rest of a formula after a reduction; `label` names the rules, "" where nothing changed."""

    clauses: tuple[Clause, ...]
    label: str = ""


def reduce_clauses(clauses: Sequence[Clause], expressivity: Expressivity) -> Reduction:
    """Reduce a formula to the part that can be expressed.

    Drop predicates, negative literals and the number of times of a phrase. Where sets cannot be expressed,
    replace each by its first phrase, which is the base form for inflections; for "at least n" keep the first
    n parts. For a decoder without constraints nothing is left.

    >>> from neurologic.logic import parse, to_clauses
    >>> clauses = to_clauses(parse("inflect(dog) & (park | beach) & !cat"))
    >>> reduction = reduce_clauses(clauses, Expressivity.PHRASES)
    >>> [clause.text for clause in reduction.clauses], reduction.label
    (['dog', 'park'], 'sets → base form, negatives left out')
    """
    if all(expressivity.covers(clause) for clause in clauses):
        return Reduction(tuple(clauses))
    if expressivity is Expressivity.NOTHING:
        return Reduction((), "constraints left out")
    kept: list[Clause] = []
    labels: set[str] = set()
    for clause in clauses:
        if expressivity.covers(clause):
            kept.append(clause)
            continue
        phrases = [literal for literal in clause.literals if isinstance(literal.atom, Phrase)]
        positive = sum(literal.positive for literal in phrases)
        if len(phrases) < len(clause.literals):
            labels.add("predicates left out")
        if positive < len(phrases):
            labels.add("negatives left out")
        if positive > 1 and not _stays_a_set(clause, expressivity):
            labels.add("sets → base form")
        reduced = _reduced(clause, expressivity)
        if any(literal not in clause.literals for part in reduced for literal in part.literals):
            labels.add("counts → once")
        kept += reduced
    distinct = {clause.root: clause for clause in kept}
    return Reduction(tuple(distinct.values()), ", ".join(sorted(labels, reverse=True)))


def _stays_a_set(clause: Clause, expressivity: Expressivity) -> bool:
    """Return whether a clause is a disjunction whose positive literals can be expressed together."""
    return (
        expressivity is Expressivity.POSITIVE_SETS
        and isinstance(clause.root, Threshold)
        and clause.root.needed == 1
        and all(isinstance(part, Literal) for part in clause.root.parts)
    )


def _reduced(clause: Clause, expressivity: Expressivity) -> list[Clause]:
    if not _stays_a_set(clause, expressivity):
        return [Clause(literal, str(literal)) for literal in _first_phrases(clause.root)]
    positive = tuple(map(_once, clause.required_phrases))
    if not positive:
        return []
    root = positive[0] if len(positive) == 1 else Threshold(1, positive)
    return [Clause(root, str(root))]


def _is_positive_set(node: Node) -> bool:
    if isinstance(node, Literal):
        return node.positive and isinstance(node.atom, Phrase) and node.atom == _once(node.atom).atom
    return node.needed == 1 and all(_is_positive_set(part) for part in node.parts)


def _first_phrases(node: Node) -> Iterator[Literal]:
    """Yield the first positive literals that together make the node true."""
    if isinstance(node, Literal):
        if node.positive and isinstance(node.atom, Phrase):
            yield _once(node.atom)
        return
    ways = [way for part in node.parts if (way := list(_first_phrases(part)))]
    for way in ways[: node.needed]:
        yield from way


def _once(phrase: Phrase) -> Literal:
    return Literal(replace(phrase, times=1, unless=None))
