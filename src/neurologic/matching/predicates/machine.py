"""One protocol for everything that the matcher follows beside plain phrases.

A *machine* reads a text character by character and knows, after each, whether its predicate would be true
if the text ended there. Its states are immutable values made on the way; `TextAutomaton` numbers them,
remembers their steps, and finds out by reachability whether the truth value can still change. So a machine
needs no tables and no proofs of its own.

Machines read the text in NFC with "\\n" for "\\r\\n" and ignore outer whitespace: leading whitespace changes
nothing, trailing whitespace counts only once something follows it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from enum import Enum
from typing import Any

from neurologic.logic.formula import Phrase

Kind = Hashable  # a class of characters that a machine need not tell apart


class Fixed(Enum):
    """States whose truth value no further text can change."""

    TRUE = True
    FALSE = False


def fixed(value: bool) -> Fixed:
    return Fixed.TRUE if value else Fixed.FALSE


State = Any  # a hashable value that only its machine reads, or `Fixed`


class Machine(ABC):
    """A predicate as a deterministic machine over characters.

    `step`, `holds` and `missing` are never asked about a `Fixed` state: use `stepped` and `value_of` where
    there may be one.
    """

    @abstractmethod
    def start(self) -> State:
        """Return the state of the empty text."""

    def start_after(self, before: str) -> State:
        """Return the state of the empty text directly after another one, which predicates do not see."""
        return self.start()

    @abstractmethod
    def step(self, state: State, character: str) -> State:
        """Return the state after one more character."""

    @abstractmethod
    def holds(self, state: State) -> bool:
        """Return whether the predicate is true of the text if it ends here."""

    @abstractmethod
    def kind(self, character: str) -> Kind:
        """Return the kind of a character; every state steps alike for characters of one kind."""

    @abstractmethod
    def samples(self) -> Iterator[str]:
        """Yield characters among which every kind is, those that bring a text forward first."""

    def missing(self, state: State) -> Iterator[Phrase]:
        """Yield phrases that, if written next, bring the predicate forward; guidance only."""
        return iter(())

    def remaining(self, state: State) -> float:
        """Return about how many units or characters are still needed; guidance only."""
        return 0.0

    def moves_left(self, state: State) -> float | None:
        """Return about how many of its `texts` make it true, where a search is not needed; guidance only."""
        return None

    def stage(self, state: State) -> int:
        """Return how many units the text has completed, where that is what the predicate counts; else 0."""
        return 0

    def size(self, state: State) -> int:
        """Return how much room a state takes, in units of some hundred bytes."""
        return 1

    def phrases(self) -> Iterator[Phrase]:
        """Yield the phrases inside the predicate."""
        return iter(())

    def texts(self) -> Iterator[str]:
        """Yield texts, beside phrases and filler, that plans should try; guidance only."""
        return iter(())


def stepped(machine: Machine, state: State, character: str) -> State:
    return state if isinstance(state, Fixed) else machine.step(state, character)


def value_of(machine: Machine, state: State) -> bool:
    return state.value if isinstance(state, Fixed) else machine.holds(state)
