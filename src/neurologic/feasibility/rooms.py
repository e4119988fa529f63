"""How much room a text has before it, or its sentence, is too long.

A budget of tokens is known in advance; a limit of words, sentences or characters is a clause like any other,
and its automaton says only that it is not broken yet. So count how many short words may follow before it is:
a search that knows this can close a sentence in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from neurologic.logic.clauses import Clause, Literal
from neurologic.logic.formula import Atom, Formula, Phrase
from neurologic.logic.predicates import Length, Nth, Regex, UnitCount
from neurologic.logic.units import is_letter
from neurologic.matching.predicates.joint_automaton import JointAutomaton
from neurologic.matching.predicates.text_automaton import TextAutomaton

# Room for so many words is as good as any: a sentence can still be finished.
MUCH_ROOM = 8
_WORD = " it"
# Characters that make more than a word or two.
_LONG = 25


class Rooms:
    """The room that a conjunction of lengths leaves, for every state of the predicates."""

    def __init__(self, joint: JointAutomaton, lengths: Sequence[tuple[int, bool]], of_units: int = 0) -> None:
        """Take the places of the lengths among the predicates, with the values that they must have.

        of_units  bit set of the clauses that take some words to satisfy, such as another sentence
        """
        self._joint = joint
        self._lengths = tuple(lengths)
        self.of_units = of_units
        self._known: dict[tuple[int, int], int] = {}
        self.of_lines = any(map(_speaks_of_lines, joint.atoms))
        """Whether some predicate speaks of lines or line breaks."""
        self.of_signs = self.of_lines or any(map(_speaks_of_signs, joint.atoms))
        """Whether some predicate speaks of lines, or of signs other than letters."""
        self.has_places = any(map(_places_a_word, joint.atoms))
        """Whether some word has a place of its own, counted from the start: then no word may go before it."""
        self._counted = [
            number for number, value in lengths if value and _limits_characters(joint.atoms[number])
        ]

    @classmethod
    def of_clauses(cls, clauses: Sequence[Clause], joint: JointAutomaton | None) -> Self | None:
        """Return the room of the clauses that are a length and nothing else; None if there are none."""
        if joint is None:
            return None
        numbers = {atom: number for number, atom in enumerate(joint.atoms)}
        roots = (clause.root for clause in clauses)
        lengths = [
            (numbers[root.atom], root.positive)
            for root in roots
            if isinstance(root, Literal) and root.atom in numbers and has_length(root.atom)
        ]
        of_units = sum(
            1 << number
            for number, clause in enumerate(clauses)
            if isinstance(clause.root, Literal)
            and clause.root.atom in numbers
            and _takes_words(clause.root.atom)
        )
        return cls(joint, lengths, of_units) if lengths else None

    def of(self, predicates: int) -> int:
        """Return how many words may follow, up to `MUCH_ROOM`."""
        states = self._joint.states(predicates)
        return min(self._of_length(number, states[number], value) for number, value in self._lengths)

    def of_text(self, predicates: int) -> int:
        """Return the same for the whole text: a sentence without room can end, and another one begin."""
        states = self._joint.states(predicates)
        whole = [length for length in self._lengths if isinstance(self._joint.atoms[length[0]], Length)]
        return min(
            (self._of_length(number, states[number], value) for number, value in whole), default=MUCH_ROOM
        )

    def landing(self, predicates: int) -> tuple[int, ...]:
        """Return how many characters are missing, where the formula asks for a number; else nothing."""
        states = self._joint.states(predicates)
        return tuple(int(self._joint.automata[number].remaining(states[number])) for number in self._counted)

    def _of_length(self, number: int, state: int, value: bool) -> int:
        known = self._known.get((number, state))
        if known is None:
            known = self._known[number, state] = _words_before_break(
                self._joint.automata[number], state, value
            )
        return known


def _limits_characters(atom: Atom) -> bool:
    """Return whether a predicate asks for so many characters of the whole text, and no more."""
    if not isinstance(atom, Length) or atom.measure != "character":
        return False
    return atom.range.high is not None and atom.range.low >= _LONG


def _places_a_word(atom: Atom) -> bool:
    return isinstance(atom, Nth) and atom.unit == "word" and atom.place > 1


def _speaks_of_lines(part: Atom | Formula) -> bool:
    if isinstance(part, Regex):
        return part.whole or "\\n" in part.expression
    if isinstance(part, Length):
        return part.measure == "line"
    if isinstance(part, (UnitCount, Nth)):
        return part.unit == "line" or _speaks_of_lines(part.part)
    return any(map(_speaks_of_lines, part.operands))


def _speaks_of_signs(part: Atom | Formula) -> bool:
    if isinstance(part, Regex):
        return True
    if isinstance(part, Phrase):
        return not any(map(is_letter, part.text))
    return any(map(_speaks_of_signs, part.operands))


def _takes_words(atom: Atom) -> bool:
    """Return whether a predicate is not a mere number of words or characters, which any words pay."""
    return not (isinstance(atom, Length) and atom.measure in ("word", "character"))


def has_length(part: Atom | Formula) -> bool:
    """Return whether a predicate limits a length, of the text or of its units."""
    if isinstance(part, Length):
        return True
    if isinstance(part, (UnitCount, Nth)) and part.unit == "word":
        return False  # long words are no long text
    inner = part.part if isinstance(part, (UnitCount, Nth)) else None
    operands = part.operands if inner is None else (inner,)
    return any(has_length(operand) for operand in operands)


def _words_before_break(automaton: TextAutomaton, state: int, value: bool) -> int:
    for words in range(MUCH_ROOM):
        state = automaton.read(state, _WORD)
        if not automaton.reaches(state, value):
            return words
    return MUCH_ROOM
