"""What the texts of one beam owe: when they have to pay, and with which tokens.

`Deadlines` says how much time is left, `payments` which tokens pay well. A text that can wait may take any
token; one that cannot goes on with its plan, or begins another of the phrases that it owes.
"""

from __future__ import annotations

from collections.abc import Iterable

from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.matching.clause_tracker import Status, bits
from neurologic.matching.matcher import DEAD
from neurologic.search.deadlines import Deadlines
from neurologic.search.hypothesis import Hypothesis
from neurologic.search.payments import Owed, opens_part, opens_sentence, paying_tokens
from neurologic.search.settings import SearchSettings

# Tokens of a plan that show how it begins.
_OPENING = 16
_SENTENCE_ENDS = (b".", b"!", b"?")


class Debts:
    """The debts of one input's texts. In all methods, `left` is the number of tokens after the next one."""

    def __init__(
        self, constraint: CompiledConstraint, settings: SearchSettings, budget: int, before: str
    ) -> None:
        """Begin without a promise: nothing is kept for a proper end.

        before  the text directly before this one
        """
        self._constraint = constraint
        self._settings = settings
        self._before = before
        self.deadlines = Deadlines(constraint, budget)
        wanted = (constraint.phrases[number].text for number in bits(constraint.tracker.wanted))
        self._may_open_parts = constraint.follows_predicates or any(
            opens_part(text.encode()) for text in wanted
        )

    def promise(self, start: int, budget: int) -> bool:
        """Set the deadlines of texts from a state on; return whether their plan fits into the budget."""
        self.deadlines = Deadlines.of_start(self._constraint, self._settings, start, budget)
        return self._constraint.planner.fits(start, 0, budget)

    def owed(self, hypothesis: Hypothesis, left: int) -> Owed:
        """Return the tokens that a text may still take."""
        constraint, planner = self._constraint, self._constraint.planner
        state, found = hypothesis.state, hypothesis.found
        blank = None if planner.may_end(state, found) else planner.after_reset(state)
        if blank is None:
            return Owed()
        opens = opens_sentence(self._before, hypothesis.text)
        # If any uninteresting token leaves enough for the plan, the row may take any token.
        later = [found | constraint.matcher.provisional(state), found]
        if any(self._can_wait(blank, present, left) for present in later):
            if opens and hypothesis.text and opens_part(self._plan_due(hypothesis, left)):
                return Owed((planner.plan(state, found) or ())[:1], forced=True)
            return Owed(can_wait=True)
        wanted = constraint.status(state, found).wanted
        if constraint.matcher.joint is not None and not (wanted and self._has_plan(blank, later)):
            # Nothing is owed that a few tokens write, such as a length: each candidate's own plan decides.
            return Owed()

        def in_time(token: int) -> bool:
            after, more = constraint.matcher.step(state, token)
            if after == DEAD:
                return False
            return self.is_in_time(after, found | more, constraint.outlook(after, found | more).status, left)

        plan = planner.plan(state, found) or ()
        tokens = paying_tokens(constraint, hypothesis, wanted, plan, opens=opens, in_time=in_time)
        # Where other tokens lead to no plan at all, more time would not help.
        return Owed(tokens, forced=self._has_plan(blank, later))

    def _can_wait(self, blank: int, present: int, left: int) -> bool:
        return self.is_in_time(blank, present, self._constraint.status(blank, present), left)

    def is_in_time(self, state: int, found: int, status: Status, left: int) -> bool:
        """Return whether what a text owes can still be paid by its deadline."""
        in_time = self._constraint.planner.fits(state, found, self.deadlines.time_to_pay(status, left))
        return in_time and self.deadlines.has_room_to_pay(state, found, status, left)

    def _has_plan(self, state: int, founds: Iterable[int]) -> bool:
        """Return whether there is a plan for a state with one of several sets of phrases."""
        return any(self._constraint.planner.plan(state, found) is not None for found in founds)

    def sentence_is_due(self, hypothesis: Hypothesis, left: int) -> bool:
        """Return whether a text should end its sentence: its plan does, or begins a new one, or a line."""
        plan = self._plan_due(hypothesis, left)
        return opens_part(plan) or plan[:1] in _SENTENCE_ENDS

    def _plan_due(self, hypothesis: Hypothesis, left: int) -> bytes:
        """Return how a plan begins, as text, if the time to pay may be up before another sentence is over."""
        constraint = self._constraint
        blank = constraint.planner.after_reset(hypothesis.state)
        if blank is None or not (self._settings.whole_sentences and self._may_open_parts):
            return b""
        present = hypothesis.found | constraint.matcher.provisional(hypothesis.state)
        status = constraint.status(blank, present)
        if not status.unsatisfied or not self.deadlines.is_near(blank, present, status, left):
            return b""
        plan = constraint.planner.plan(hypothesis.state, hypothesis.found) or ()
        pieces = constraint.vocabulary.pieces
        return b"".join(pieces[token] or b"" for token in plan[:_OPENING])

    def advances(self, hypothesis: Hypothesis, token: int) -> bool:
        """Return whether a token completes or continues a wanted phrase."""
        constraint = self._constraint
        state, found = constraint.matcher.step(hypothesis.state, token)
        if state == DEAD:
            return False
        wanted = constraint.status(hypothesis.state, hypothesis.found).wanted
        found |= constraint.matcher.provisional(state)
        return bool(found & wanted) or constraint.matched_fraction(state, wanted) > 0

    def continues_phrase(self, hypothesis: Hypothesis, token: int) -> bool:
        """Return whether a token goes on with a wanted phrase that the text is inside of."""
        wanted = self._constraint.status(hypothesis.state, hypothesis.found).wanted
        begun = self._constraint.matcher.partial_matches(hypothesis.state)
        return any(wanted >> phrase & 1 for phrase, _ in begun) and self.advances(hypothesis, token)
