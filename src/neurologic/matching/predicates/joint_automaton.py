"""The predicates of a formula, followed together: one number for the states of all of them.

The matcher keeps this number beside its own position, and both parts remember their steps apart. So a
counter, which has a new state after every word, does not multiply what the phrases have to remember.

A text must stay in NFC for its predicates to be followed one character at a time. A combining mark of the
Latin kind that could compose with a letter is refused, since the letter before it is not remembered; marks of
other scripts are refused only where they do compose.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from threading import Lock
from typing import NamedTuple

from neurologic.logic.formula import Atom, Phrase
from neurologic.matching.nfc_composition import is_second_part
from neurologic.matching.predicates.text_automaton import TextAutomaton
from neurologic.matching.predicates.verdict import Verdict

DEAD = -1


def helper_of(phrase: Phrase) -> Phrase:
    """Return the phrase that the matcher follows to lead a search to a phrase inside a predicate."""
    return replace(phrase, times=1, unless=None) if phrase.times > 1 or phrase.unless else phrase


class _Joint(NamedTuple):
    """The states of the automata, and what the next character could still change.

    is_return  whether a carriage return came last: it is a line break of its own unless a line feed follows
    segment    marks, and a character before them of a script whose marks compose
    """

    states: tuple[int, ...]
    is_return: bool = False
    segment: str = ""


class JointAutomaton:
    """The automata of some predicates; a state of all is a small number. Thread-safe.

    first_bit  the bit of the first predicate in every bit set; those of phrases are below
    helpers    the bit of every phrase inside the predicates that the matcher follows too
    rows       for every state the states after tokens, which the matcher fills
    """

    def __init__(
        self, automata: Mapping[Atom, TextAutomaton], first_bit: int, helpers: Mapping[Phrase, int]
    ) -> None:
        self.atoms = tuple(automata)
        self.automata = tuple(automata.values())
        self._first_bit = first_bit
        self._helpers = helpers
        self._numbers: dict[_Joint, int] = {}
        # No text is in state 0: it stands for a position without predicates.
        self._joints: list[_Joint] = [_Joint(())]
        self.rows: list[dict[int, int]] = [{}]
        self._verdicts: dict[int, Verdict] = {}
        self._stages: dict[int, tuple[int, ...]] = {}
        self._lock = Lock()

    @property
    def remembered(self) -> int:
        """How many states the tables hold."""
        return len(self._joints)

    def start(self, before: str = "") -> int:
        """Return the state of the empty text after `before`, which only phrases with exceptions see."""
        return self._intern(_Joint(tuple(automaton.start_after(before) for automaton in self.automata)))

    def states(self, joint: int) -> tuple[int, ...]:
        """Return the state of every automaton."""
        return self._joints[joint].states

    def read(self, joint: int, characters: str) -> int:
        """Return the state after characters; `DEAD` if they take the text out of NFC."""
        if not characters:
            return joint
        states, is_return, segment = self._joints[joint]
        read: list[str] = []
        for character in characters:
            if not character.isascii() or segment:
                segment = _segment_after(segment, character)
                if segment and not unicodedata.is_normalized("NFC", segment):
                    return DEAD
                if "\u0300" <= character <= "\u036f" and is_second_part(character):
                    return DEAD
            if is_return and character != "\n":
                read.append("\r")
            is_return = character == "\r"
            if not is_return:
                read.append(character)
        text = "".join(read)
        after = [automaton.read(state, text) for automaton, state in zip(self.automata, states, strict=True)]
        return self._intern(_Joint(tuple(after), is_return, segment))

    def verdict(self, joint: int) -> Verdict:
        """Return what is known of the predicates."""
        known = self._verdicts.get(joint)
        if known is None:
            true = open_ = 0
            missing: list[int] = []
            for place, (automaton, state) in enumerate(
                zip(self.automata, self._joints[joint].states, strict=True), self._first_bit
            ):
                holds = automaton.holds(state)
                true |= holds << place
                open_ |= automaton.can_change(state) << place
                phrases = () if holds else automaton.missing(state)
                found = {self._helpers.get(helper_of(phrase)) for phrase in phrases}
                missing.append(sum(1 << bit for bit in found if bit is not None))
            known = self._verdicts[joint] = Verdict(true, open_, tuple(missing))
        return known

    def stage(self, joint: int) -> tuple[int, ...]:
        """Return how far the text has come in each predicate that counts sentences, lines or paragraphs."""
        known = self._stages.get(joint)
        if known is None:
            states = self._joints[joint].states
            known = tuple(
                automaton.stage(state) for automaton, state in zip(self.automata, states, strict=True)
            )
            self._stages[joint] = known
        return known

    def _intern(self, joint: _Joint) -> int:
        number = self._numbers.get(joint)
        if number is None:
            with self._lock:
                number = self._numbers.get(joint)
                if number is None:
                    number = len(self._joints)
                    self.rows.append({})
                    self._joints.append(joint)
                    self._numbers[joint] = number
        return number


@cache
def _composes(character: str) -> bool:
    """Return whether a character of another than the Latin, Greek or Cyrillic script may take marks."""
    return ord(character) >= 0x590 and not character.isspace()


def _segment_after(segment: str, character: str) -> str:
    if unicodedata.combining(character) or (segment and is_second_part(character)):
        return segment + character
    return character if _composes(character) else ""
