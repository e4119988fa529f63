"""The payment plan: a promise that a hypothesis can still end satisfied, and in how many tokens.

For a partial text, in matcher state s with the phrases F found so far, a *plan* is a concrete
sequence of tokens after which the text may end with every clause satisfied. U(s, F), the
length of the best known plan, bounds the tokens still needed from above; U = 0 means that the text may end
here.

**The guarantee.** Let the search drop every candidate whose U exceeds the tokens left after it, and let
a text end only where U = 0. If U at the start is at most `max_new_tokens`, the result satisfies the formula.

*Proof.* The planner checks plans by reading them token by token through the matcher and the clause
states, and with every plan it remembers its tails for the states it passes. So if U(s, F) = n > 0 with a
plan t₁…tₙ, then the candidate t₁ has U ≤ n − 1, by the remembered tail. Only shorter plans replace
remembered ones, so U never grows. Claim: at every step each hypothesis of the beam has U ≤ tokens left.
It holds at the start by assumption. If it holds for a hypothesis with U > 0, its candidate t₁ has
U ≤ left − 1, so the search does not drop it, and something is left to select; all that it selects has
U ≤ left, since it dropped the rest. A hypothesis that ends has U = 0, which is satisfied. When no tokens are
left, U ≤ 0: a text that ends at the length limit satisfies the formula too. ∎

The proof needs two things of the search: it must consider the candidate t₁ (it asks `plan` for it), at least
where no other candidate of the beam survives, and t₁ must have a finite score (a caller's processors may
break that; the search then warns). A search may drop more candidates, as ours does to leave time for a proper
end, as long as it never drops t₁. A hypothesis with U = 0 needs no candidate: where it has none, it ends.

With predicates nothing in the proof changes: whether a text may end, and whether a clause is broken for good,
comes from the states of their automata, which are part of the matcher's state. Plans for them are found by
`guided_search`, and tried first for texts that differ in counters only: a plan that leaves out as many filler
words as the text has gained often works, and checking one takes far less time than finding one.

The planner is not complete: it may find no plan where an intricate one exists. That can cost
the guarantee or drop a hypothesis early, but never makes a wrong promise. `guided_search` says for which
predicates that happens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cached_property
from threading import Lock
from typing import NamedTuple

from neurologic.bounded_table import BoundedTable
from neurologic.feasibility.attempts import Attempts
from neurologic.feasibility.guided_search import GuidedSearch
from neurologic.feasibility.plan_search import PlanSearch
from neurologic.feasibility.residual_solver import ResidualSolver
from neurologic.feasibility.spelling import spell_in_other_cases, spell_phrase
from neurologic.matching.character_reader import Position
from neurologic.matching.clause_tracker import ClauseTracker
from neurologic.matching.matcher import DEAD, Matcher
from neurologic.matching.vocabulary import TokenIds

# Tokens that changing a predicate takes, as a guess for the choice between it and a phrase.
_COST_OF_PREDICATE = 3
# Filler words that an earlier plan may be without, when it is tried for a text with more words.
_FEWER_FILLERS = 3

_LATEST_KEPT = 100_000  # tokens of all plans together
# For estimates of memory in entries of about 200 bytes.
_TOKENS_OF_AN_ENTRY = 25
_BITS_OF_AN_ENTRY = 1_600


class _Tail(NamedTuple):
    """The tokens of a plan from a place on; all tails of a plan share it."""

    plan: TokenIds
    start: int

    @property
    def length(self) -> int:
        return len(self.plan) - self.start

    @property
    def tokens(self) -> TokenIds:
        return self.plan[self.start :]


class Planner:
    """Finds and remembers plans. Thread-safe: it only ever learns more and shorter ones.

    What it has learned decides which plan it finds next, so every text has a planner of its own
    (`for_one_text`). These share what depends on nothing but the formula: spellings, solutions, searches.
    """

    def __init__(self, matcher: Matcher, tracker: ClauseTracker, implied: Sequence[int]) -> None:
        self._matcher = matcher
        self._tracker = tracker
        wanted = tracker.wanted
        self._spellings: tuple[tuple[TokenIds, ...], ...] = tuple(
            spell_phrase(matcher, phrase) if wanted >> phrase & 1 else ()
            for phrase in range(len(matcher.phrases))
        )
        if any(phrase.case == "exact" for phrase in matcher.phrases):
            other_cases = tuple(
                spell_in_other_cases(matcher, phrase) if self._spellings[phrase] else ()
                for phrase in range(len(matcher.phrases))
            )
        else:  # no phrase is forbidden in one case only
            other_cases = ((),) * len(matcher.phrases)
        costs = [
            len(ways[0]) * phrase.times if ways else None
            for ways, phrase in zip(self._spellings, matcher.phrases, strict=True)
        ] + [_COST_OF_PREDICATE] * tracker.predicates.bit_count()
        self._solver = ResidualSolver(tracker, costs, implied)
        self._attempts = Attempts(matcher, tracker, self._solver, self._spellings, other_cases)
        self._search = PlanSearch(matcher, tracker, self._solver, self._attempts)
        self._plans: dict[tuple[int, int], _Tail] = {}
        self._searched: set[tuple[int, int]] = set()
        self._latest: BoundedTable[int, TokenIds] = BoundedTable(_LATEST_KEPT, weigh=len)
        self._tokens = 0  # of the plans
        self._lock = Lock()
        self._guided: GuidedSearch | None = None
        if matcher.joint is not None:
            self._guided = GuidedSearch(
                matcher, matcher.joint, tracker, self._spellings, self._search.read, self._search.may_end
            )

    def for_one_text(self) -> Planner:
        """Return a planner that has found no plans yet."""
        fresh = copy(self)
        fresh._plans, fresh._searched, fresh._tokens, fresh._lock = {}, set(), 0, Lock()
        return fresh

    @property
    def remembered(self) -> int:
        """How much the tables hold, in entries of about 200 bytes.

        Plans cannot be forgotten, since the guarantee rests on the tails.
        """
        # Every plan is kept under a set of phrases, which has as many bits as there are phrases.
        width = 1 + len(self._matcher.phrases) // _BITS_OF_AN_ENTRY
        pairs = len(self._plans) + len(self._searched) + self._search.remembered
        return width * pairs + self._tokens // _TOKENS_OF_AN_ENTRY + self._solver.remembered

    # -- answers for the search -----------------------------------------------------------------

    def may_end(self, state: int, found: int) -> bool:
        """Return whether a text that ends here satisfies every clause: the end settles provisional words."""
        return self._search.may_end(state, found)

    def fits(self, state: int, found: int, left: int) -> bool:
        """Return whether U(state, found) ≤ left; search for a short plan only if a long one does not fit."""
        known = self._plans.get((state, found))
        if known is not None and known.length <= left:
            return True
        if left <= 0:
            return left == 0 and self.may_end(state, found)
        if (state, found) in self._searched:
            return False
        if known is None and self._fits_simply(state, found, left):
            return True
        plan = self.plan(state, found)
        return plan is not None and len(plan) <= left

    def _fits_simply(self, state: int, found: int, left: int) -> bool:
        """Return whether a plan fits that takes no search: one that resets, or that of the text uncounted."""
        reset = self._fresh_start(state, found)
        if reset is not None and len(reset) <= left:
            # Its tails are those of the plan after the reset; only predicates could tell the two apart.
            self._remember(state, found, reset, with_tails=self._guided is not None)
            return True
        uncounted = self._as_if_uncounted(state, found)
        if uncounted is not None and len(uncounted) <= left:
            self._remember(state, found, uncounted)
            return True
        return False

    def plan(self, state: int, found: int) -> TokenIds | None:
        """Return the best plan known or found now; () where the text may end, None where there is no way."""
        if (state, found) not in self._searched:
            for find in self._ways_to_find():
                plan = find(state, found)
                if plan is not None:
                    self._remember(state, found, plan)
                    if self._guided is not None:
                        break  # the first one is short enough, and further ones cost time at every state
            # Mark it last: another thread that sees the mark relies on the plan being there.
            self._searched.add((state, found))
        known = self._plans.get((state, found))
        return None if known is None else known.tokens

    def _ways_to_find(self) -> tuple[Callable[[int, int], TokenIds | None], ...]:
        if self._guided is None:
            return self._as_if_uncounted, self._search.plan, self._fresh_start, self._escape
        return (
            self._like_the_latest,
            self._guided.search,
            self._as_if_uncounted,
            self._fresh_start,
            self._escape,
        )

    def distance(self, predicate: int, predicates: int) -> float:
        """Return about how many moves make a predicate true in a state of all of them."""
        return math.inf if self._guided is None else self._guided.distance(predicate, predicates)

    @property
    def filler(self) -> TokenIds:
        """Return the tokens of a short word that may go anywhere; none where the formula allows none."""
        return () if self._guided is None else self._guided.filler

    def usual_spelling(self, phrase: int) -> TokenIds | None:
        """Return the tokens that usually write a wanted phrase; None if the model cannot write it."""
        ways = self._spellings[phrase]
        return ways[0] if ways else None

    def solvable(self, present: int) -> bool:
        """Return whether some further phrases, and other values of predicates, would satisfy every clause."""
        return self._solver.solve(present) is not None

    # -- remembering ----------------------------------------------------------------------------

    def _remember(self, state: int, found: int, plan: TokenIds, *, with_tails: bool = True) -> None:
        """Remember a plan and all its tails: the step in the proof from U to U - 1.

        Without tails where these are known already.
        """
        if self._guided is not None:
            self._latest[found] = plan
        self._tokens += len(plan)
        for done in range(len(plan) + 1 if with_tails else 1):
            tail = _Tail(plan, done)
            with self._lock:  # compare and store as one: a longer plan must never replace a shorter one
                known = self._plans.get((state, found))
                if known is None or tail.length < known.length:
                    self._plans[state, found] = tail
            if known is not None and (known.length < tail.length or known.tokens == tail.tokens):
                return  # from here on plans are known that are better or the same, and so are their tails
            if tail.length:
                state, more = self._matcher.step(state, plan[done])
                found |= more

    # -- finding plans --------------------------------------------------------------------------

    @cached_property
    def reset(self) -> tuple[int, int] | None:
        """A token that brings every text to the same state, with no phrase partly written, and that state.

        States with counts differ from it; see `after_reset`.
        """
        blank = Position()
        # With predicates a full stop changes more than a comma: it ends a sentence.
        stops = (".", ",", ";", "!", "\n", " ") if self._guided is None else (",", ";", " -", " ", ".", "\n")
        for text in stops:
            token = self._matcher.vocabulary.token_of.get(text.encode())
            if token is None:
                continue
            state, found = self._matcher.step(self._matcher.start(), token)
            position = Position() if state == DEAD else self._matcher.position(state)
            if state != DEAD and not found and position._replace(segment="", predicates=0) == blank:
                return token, state
        return None

    def after_reset(self, state: int) -> int | None:
        """Return the state to which the reset brings a text, with its counts; None if there is no reset."""
        if self.reset is None:
            return None
        if self._guided is not None:
            after = self._matcher.step(state, self.reset[0])[0]
            return None if after == DEAD else self._blank(self.reset[1], after)
        return self._blank(self.reset[1], state)

    def _blank(self, blank: int, state: int) -> int:
        """Return the state `blank` with the counts and predicates of another."""
        if self._guided is None and not self._matcher.counted_phrases:
            return blank
        counted = self._matcher.with_counts(blank, self._matcher.counted(state))
        return counted if self._guided is None else self._matcher.with_predicates_of(counted, state)

    def _like_the_latest(self, state: int, found: int) -> TokenIds | None:
        """Return the latest plan of a text with the same phrases, maybe with fewer fillers, if it works."""
        latest = self._latest.get(found)
        if latest is None or self._guided is None:
            return None
        for plan in self._with_fewer_fillers(latest, self._guided.filler):
            if self._works(state, found, plan):
                return self._without_beginning(state, found, plan)
        return None

    def _works(self, state: int, found: int, plan: TokenIds) -> bool:
        reached = self._search.read(state, found, plan)
        return reached is not None and self.may_end(*reached)

    def _without_beginning(self, state: int, found: int, plan: TokenIds) -> TokenIds:
        """Return a plan without first words that another text needed, and this one does not."""
        while rest := self._after_first_word(plan):
            if not self._works(state, found, rest):
                break
            plan = rest
        return plan

    def _after_first_word(self, plan: TokenIds) -> TokenIds:
        pieces = self._matcher.vocabulary.pieces
        for place, token in enumerate(plan[1:], start=1):
            if (pieces[token] or b"")[:1].isspace():
                return plan[place:]
        return ()

    def _with_fewer_fillers(self, plan: TokenIds, filler: TokenIds) -> Iterator[TokenIds]:
        yield plan
        for _ in range(_FEWER_FILLERS):
            if len(filler) != 1 or filler[0] not in plan:
                return
            last = len(plan) - 1 - plan[::-1].index(filler[0])
            plan = plan[:last] + plan[last + 1 :]
            yield plan

    def _as_if_uncounted(self, state: int, found: int) -> TokenIds | None:
        """Return the plan of the same text without counts, if it works here.

        Counts of forbidden phrases rarely matter; this saves a plan for every combination of them.
        """
        uncounted = self._matcher.with_counts(state, ())
        if uncounted == state:
            return None
        plan = self.plan(uncounted, found)
        return plan if plan is not None and self._works(state, found, plan) else None

    def _fresh_start(self, state: int, found: int) -> TokenIds | None:
        """Return a plan that resets first: cheap, since all texts with these counts share its tail."""
        if self.reset is None:
            return None
        token, blank = self.reset
        if state == self._blank(blank, state):
            return None
        after, more = self._matcher.step(state, token)
        found |= more
        if after == DEAD or after != self._blank(blank, after) or self._search.failed(after, found):
            return None
        tail = self.plan(after, found)
        return None if tail is None else (token, *tail)

    def _escape(self, state: int, found: int) -> TokenIds | None:
        """Return a plan that first turns an unfinished word or number, which would count, into another."""
        if not self._matcher.provisional(state) & ~found or self.may_end(state, found):
            return None
        for token in self._attempts.continuations(state):
            reached = self._search.read(state, found, (token,))
            if reached is not None and not self._matcher.provisional(reached[0]):
                tail = self.plan(*reached)
                if tail is not None:
                    return (token, *tail)
        return None
