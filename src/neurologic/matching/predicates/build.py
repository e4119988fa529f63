"""The machine of every predicate, and of formulas inside quantifiers."""

from __future__ import annotations

from neurologic.errors import FormulaError
from neurologic.logic.formula import Atom, Formula, Phrase
from neurologic.logic.normal_form import to_clauses
from neurologic.logic.predicates import Ends, Length, Near, Nth, Order, Prefer, Regex, Starts, UnitCount
from neurologic.logic.units import UNITS, Unit
from neurologic.matching.predicates.combination import Combination
from neurologic.matching.predicates.machine import Machine
from neurologic.matching.predicates.places import Places
from neurologic.matching.predicates.regular_expressions import Matches
from neurologic.matching.predicates.sequences import CloseBy, InOrder
from neurologic.matching.predicates.units import (
    Anything,
    CharacterCount,
    CountTally,
    PlaceFromEndTally,
    PlaceTally,
    Quantifier,
    Tally,
    WordQuantifier,
)


def machine_of(atom: Atom) -> Machine:
    """Return the machine that follows a phrase or predicate."""
    match atom:
        case Phrase():
            return Places(atom)
        case Order(parts):
            return InOrder(parts)
        case Starts(part):
            return InOrder([part], at_start=True)
        case Ends(part):
            return InOrder([part], at_end=True)
        case Near(distance, left, right):
            return CloseBy(distance, left, right)
        case Length("character", number):
            return CharacterCount(number)
        case Length(measure, number):
            unit = next(unit for unit in UNITS if unit == measure)
            return _quantifier(unit, Anything(), CountTally(number))
        case Regex():
            return Matches(atom.tree, whole=atom.whole)
        case UnitCount(number, unit):
            return _quantifier(unit, _combination(atom.counted), CountTally(number))
        case Nth(place, unit, part):
            tally = PlaceTally(place) if place > 0 else PlaceFromEndTally(-place)
            return _quantifier(unit, _combination(part), tally)
        case Prefer(part):
            return _combination(part)
    raise FormulaError(f"{atom} cannot be followed while a text grows")


def _quantifier(unit: Unit, inner: Machine, tally: Tally) -> Machine:
    return WordQuantifier(inner, tally) if unit == "word" else Quantifier(unit, inner, tally)


def _combination(formula: Formula) -> Machine:
    """Return the machine of a formula inside a quantifier."""
    roots = [clause.root for clause in to_clauses(formula)]
    atoms = dict.fromkeys(literal.atom for clause in to_clauses(formula) for literal in clause.literals)
    return Combination(roots, {atom: machine_of(atom) for atom in atoms})
