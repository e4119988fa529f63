"""When a text has to pay what it owes: before the tokens, and the room, that a proper text needs.

The planner says how many tokens a payment takes. A text that pays with its last tokens is cut off, and one
that pays everything at once is a list. So keep some tokens for the end, some between the clauses, and some
words of room where the formula limits a length. The guarantee does not rest on any of this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.feasibility.rooms import MUCH_ROOM
from neurologic.matching.clause_tracker import Status
from neurologic.search.settings import SearchSettings

# Words of room that a text which owes a phrase keeps beyond those that paying takes, so that the phrase gets
# a proper sentence.
_SPARE_WORDS = 3
# Tokens that a sentence may take.
_A_SENTENCE = 24


@dataclass(frozen=True)
class Deadlines:
    """The deadlines of one input.

    budget       the most tokens of a text
    reserve      tokens kept for a proper end
    spread       tokens kept for every clause but one
    spare_words  words of room kept where the formula limits a length
    """

    constraint: CompiledConstraint
    budget: int
    reserve: int = 0
    spread: int = 0
    spare_words: int = 0

    @classmethod
    def of_start(
        cls, constraint: CompiledConstraint, settings: SearchSettings, start: int, budget: int
    ) -> Self:
        """Return the deadlines that fit into the budget, for the matcher's state at the start."""
        spare = budget - len(constraint.planner.plan(start, 0) or ())
        reserve = max(0, min(int(settings.reserve * budget), spare))
        others = constraint.status(start, 0).unsatisfied.bit_count() - 1
        spread = 0
        if others > 0:
            spare = max(0, spare - reserve)
            spread = min(int(settings.spread * budget), spare // others)
        words = 0
        if settings.whole_sentences and constraint.rooms is not None and not constraint.rooms.has_places:
            # Where there is hardly room for the phrases, keep less.
            words = _SPARE_WORDS
            while words and not _fits_after_words(constraint, start, 0, 2 * words, budget - 1):
                words -= 1
        return cls(constraint, budget, reserve, spread, words)

    def time_to_pay(self, status: Status, left: int) -> int:
        """Return how many of the tokens left a text may use to satisfy its clauses.

        Keep the last ones for a proper end: a word forced at the very end truncates the text. Keep some for
        every clause but one: if the budget forces several, they should not stand side by side. Where all
        clauses hold, and only a word or a character is unfinished, a text may use all of them.
        """
        if not status.unsatisfied:
            return left
        return left - self.reserve - self.spread * (status.unsatisfied.bit_count() - 1)

    def is_near(self, state: int, found: int, status: Status, left: int) -> bool:
        """Return whether the time to pay may be up before another sentence is over."""
        time = self.time_to_pay(status, left) - _A_SENTENCE
        return not self.constraint.planner.fits(state, found, time)

    def urgency(self, owed: int, length: int) -> float:
        """Return how near the deadline of a text that owes so many clauses is, from 0 to 1."""
        deadline = self.budget - self.reserve - self.spread * (owed - 1)
        return min(1.0, length / max(1, deadline))

    def has_room_to_pay(self, state: int, found: int, status: Status, left: int) -> bool:
        """Return whether a text that owes a phrase or a sentence may have some more words before it pays."""
        rooms = self.constraint.rooms
        if not self.spare_words or rooms is None:
            return True
        if rooms.of_text(self.constraint.matcher.position(state).predicates) >= MUCH_ROOM:
            return True
        if not status.wanted and not status.unsatisfied & rooms.of_units:
            return True
        return _fits_after_words(self.constraint, state, found, self.spare_words, left)


def _fits_after_words(constraint: CompiledConstraint, state: int, found: int, words: int, left: int) -> bool:
    after = constraint.matcher.read(state, constraint.planner.filler * words)
    return after is not None and constraint.planner.fits(after[0], found | after[1], left)
