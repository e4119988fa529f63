"""What holds of the units of every text: what some sentence has, what every sentence has, and the text.

A literal over units says that some unit makes a formula true, that the unit at a place does, or that all
units do. Two of these may exclude each other: "the first sentence begins with A" and "no sentence has A".
What a unit has, the text has too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from neurologic.logic.clause_trees import alternatives
from neurologic.logic.clauses import Clause, Literal
from neurologic.logic.constructors import all_of
from neurologic.logic.formula import Formula, Not, Phrase, Predicate
from neurologic.logic.length_implications import Axiom, Reaches, opposite
from neurologic.logic.normal_form import to_clauses
from neurologic.logic.predicates import Ends, Length, Near, Nth, Order, Starts, Unit, UnitCount, choices
from neurologic.logic.ranges import Range
from neurologic.logic.units import is_letter

Excludes = Callable[[Formula], bool]  # whether no text at all makes the formula true

_COMPARED = 40  # facts about one kind of unit; the pairs of more would take long


@dataclass(frozen=True, slots=True)
class _Fact:
    """What a literal says of units: `part` is true of all, of some, or of the one at `place`."""

    literal: Literal
    unit: Unit
    part: Formula
    place: int | None = None  # None: of some unit, if not of all
    of_all: bool = False

    def meets(self, other: _Fact) -> bool:
        """Return whether both facts speak of one and the same unit, wherever there is one."""
        same_place = self.place is not None and self.place == other.place
        return self.unit == other.unit and (self.of_all or other.of_all or same_place)


def unit_implications(predicates: Sequence[Predicate], excludes: Excludes) -> Iterator[Axiom]:
    """Yield clauses that are true of every text, over predicates of units, phrases, and `Reaches` atoms."""
    facts = [fact for predicate in predicates for fact in _facts(predicate)][:_COMPARED]
    for predicate in predicates:
        yield from _units_needed(predicate)
    for fact in facts:
        unless = (opposite(fact.literal), *([_is_empty(fact.unit)] if fact.of_all else []))
        if excludes(_of_one_unit(fact.unit, fact.part)):
            yield unless
        for alternative in _phrases_of_text(fact.part, fact.unit):
            yield (*unless, *map(Literal, alternative))
        if fact.of_all:
            yield from ((opposite(fact.literal), Literal(phrase, False)) for phrase in _excluded(fact.part))
    for one, other in combinations(facts, 2):
        if one.literal.atom == other.literal.atom or not one.meets(other):
            continue
        if excludes(_of_one_unit(one.unit, all_of(one.part, other.part))):
            empty = [_is_empty(one.unit)] if one.of_all and other.of_all else []
            yield (opposite(one.literal), opposite(other.literal), *empty)


def unit_sums(predicates: Sequence[Predicate], axioms: Sequence[Axiom]) -> Iterator[Axiom]:
    """Yield what the words of single units add up to; every word lies in one sentence, line and paragraph.

    The numbers of units are those that `Reaches` atoms of the axioms speak of.
    """
    rungs = dict.fromkeys(
        literal.atom for axiom in axioms for literal in axiom if isinstance(literal.atom, Reaches)
    )
    for fact in (fact for predicate in predicates for fact in _facts(predicate)):
        numbers = [rung.number for rung in rungs if rung.measure == fact.unit and fact.unit != "word"]
        for length in _lengths(fact.part):
            low, high = length.range.low, length.range.high
            if not fact.of_all:
                if low > 0 and length.measure in ("word", "character"):
                    yield opposite(fact.literal), Literal(Reaches(length.measure, low))
            elif length.measure == "word":
                for number in numbers:
                    units = Literal(Reaches(fact.unit, number))
                    if low > 0:
                        yield opposite(fact.literal), opposite(units), Literal(Reaches("word", low * number))
                    if high is not None:
                        most = high * (number - 1)
                        yield opposite(fact.literal), units, Literal(Reaches("word", most + 1), False)


def _lengths(part: Formula) -> Iterator[Length]:
    """Yield the lengths that a formula requires."""
    for clause in _clauses(part):
        if isinstance(clause.root, Literal) and clause.root.positive and isinstance(clause.root.atom, Length):
            yield clause.root.atom


def _facts(predicate: Predicate) -> Iterator[_Fact]:
    match predicate:
        case Nth(place, unit, part):
            yield _Fact(Literal(predicate), unit, part, place)
        case UnitCount(range_, unit):
            some, none = predicate.counted, Not(predicate.counted)
            if range_.low >= 1:
                yield _Fact(Literal(predicate), unit, some)
            if range_ == Range(1):
                yield _Fact(Literal(predicate, False), unit, none, of_all=True)
            if range_.high == 0:
                yield _Fact(Literal(predicate), unit, none, of_all=True)
                yield _Fact(Literal(predicate, False), unit, some)


def _units_needed(predicate: Predicate) -> Iterator[Axiom]:
    """Yield how many units a predicate needs."""
    match predicate:
        case Nth(place, unit):
            yield Literal(predicate, False), Literal(Reaches(unit, abs(place)))
        case UnitCount(range_, unit) if range_.low >= 1:
            yield Literal(predicate, False), Literal(Reaches(unit, range_.low))
        case UnitCount(range_, unit) if range_.high is not None:
            yield Literal(predicate), Literal(Reaches(unit, range_.high + 1))


def _is_empty(unit: Unit) -> Literal:
    return Literal(Reaches(unit, 1), False)


def _of_one_unit(unit: Unit, part: Formula) -> Formula:
    """Add what is true of a unit as a text of its own: a word is one word."""
    return all_of(part, Length("word", Range(1, 1))) if unit == "word" else part


def _phrases_of_text(part: Formula, unit: Unit) -> Iterator[tuple[Phrase, ...]]:
    """Yield sets of phrases of which the text has one if a unit makes `part` true.

    The neighbours of a unit deny no word boundary, but they may continue a number ("3" is a word of "3.5"),
    or complete an exception.
    """
    for clause in _clauses(part):
        phrases = _one_of(clause)
        if phrases and not any(
            phrase.unless is not None or (unit == "word" and any(phrase.number_edges)) for phrase in phrases
        ):
            yield phrases


def _one_of(clause: Clause) -> tuple[Phrase, ...]:
    """Return phrases of which a text with the clause has one; nothing if it may have none."""
    found: list[Phrase] = []
    for node in alternatives(clause.root):
        if not isinstance(node, Literal) or not node.positive:
            return ()
        match node.atom:
            case Phrase():
                found.append(node.atom)
            case Order() | Near() | Starts() | Ends():
                found += choices(node.atom.operands[0])
            case _:
                return ()
    return tuple(found)


def _excluded(part: Formula) -> Iterator[Phrase]:
    """Yield phrases that no text has in which all units make `part` true.

    These are the phrases that part forbids, if an occurrence always lies inside of one unit: plain words.
    """
    for clause in _clauses(part):
        root = clause.root
        if isinstance(root, Literal) and not root.positive and isinstance(root.atom, Phrase):
            phrase = root.atom
            if phrase.times == 1 and phrase.unless is None and all(map(is_letter, phrase.text)):
                yield phrase


def _clauses(part: Formula) -> tuple[Clause, ...]:
    from neurologic.errors import ContradictionError

    try:
        return to_clauses(part)
    except ContradictionError:
        return ()
