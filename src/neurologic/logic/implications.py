"""What holds of every text, as clauses over the atoms of a formula.

`order(a, b)` implies that b occurs, `words(..5)` excludes `words(10..)`, `starts(a)` excludes `starts(b)`. A
solver that adds these clauses to the formula's own finds more contradictions, and every one of them is real.
The list is not complete: it knows what two predicates say of each other, of lengths and of phrases, and
nothing of expressions. It is about texts that stand alone: where a raw prompt ends inside of a word, a text
can start with "car" as a predicate sees it, and yet not have the word "car".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from neurologic.logic.characters import normalise
from neurologic.logic.clauses import Literal
from neurologic.logic.formula import Phrase, Predicate
from neurologic.logic.length_implications import Axiom, Reaches, bounds, fewest_characters, ladder, room_of
from neurologic.logic.occurrence import starts
from neurologic.logic.predicates import Ends, Length, Near, Order, Starts, choices
from neurologic.logic.unit_implications import Excludes, unit_implications, unit_sums

_COMPARED = 40  # beginnings (endings); the pairs of more would take long


def implications(literals: Iterable[Literal], excludes: Excludes) -> list[Axiom]:
    """Return clauses that are true of every text, over the atoms of these literals and further ones.

    `excludes` says whether no text makes a formula true; it is asked about parts of the atoms.
    """
    listed = list(dict.fromkeys(literals))
    atoms = dict.fromkeys(literal.atom for literal in listed)
    predicates = [atom for atom in atoms if not isinstance(atom, Phrase)]
    axioms = [axiom for predicate in predicates for axiom in _needs(predicate)]
    axioms += _clashes([atom for atom in predicates if isinstance(atom, Starts)])
    axioms += _clashes([atom for atom in predicates if isinstance(atom, Ends)])
    axioms += unit_implications(predicates, excludes)
    axioms += list(unit_sums(predicates, axioms))
    if any(isinstance(literal.atom, Reaches) for axiom in axioms for literal in axiom):
        # A phrase that nothing asks for takes no room: thousands of forbidden ones cost nothing here.
        asked = (literal.atom for clause in (listed, *axioms) for literal in clause if literal.positive)
        phrases = dict.fromkeys(atom for atom in asked if isinstance(atom, Phrase))
        axioms += [axiom for phrase in phrases for axiom in room_of(phrase)]
        axioms += ladder(axioms)
    return axioms


def _needs(predicate: Predicate) -> Iterator[Axiom]:
    """Yield what a predicate needs: one phrase of every part, and room for all of them."""
    match predicate:
        case Length():
            yield from bounds(predicate)
        case Order() | Near() | Starts() | Ends():
            absent = Literal(predicate, False)
            for part in predicate.operands:
                yield absent, *map(Literal, choices(part))
            if isinstance(predicate, Order):
                room = sum(min(map(fewest_characters, choices(part))) for part in predicate.parts)
                yield absent, Literal(Reaches("character", room))


def _clashes(edges: Sequence[Starts] | Sequence[Ends]) -> Iterator[Axiom]:
    """Yield the pairs of beginnings (or endings) of which a text cannot have both."""
    for one, other in combinations(edges[:_COMPARED], 2):
        at_start = isinstance(one, Starts)
        sides = choices(one.operands[0]), choices(other.operands[0])
        if not any(_fit(a, b, at_start) for a in sides[0] for b in sides[1]):
            yield Literal(one, False), Literal(other, False)


def _fit(one: Phrase, other: Phrase, at_start: bool) -> bool:
    """Return whether a text might begin (end) with both phrases: the longer one with the shorter."""
    short, long = sorted((one, other), key=lambda phrase: len(normalise(phrase.text, exact_case=False)))
    written, inside = (normalise(phrase.text, exact_case=False) for phrase in (long, short))
    if short.unless is not None:
        return written.startswith(inside) if at_start else written.endswith(inside)
    place = 0 if at_start else len(written) - len(inside)
    return place in starts(short, written, exact=False)
