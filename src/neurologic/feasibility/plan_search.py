"""Search for a plan: a way of writing the phrases of a solution, one after the other.

The search is depth-first over `attempts`, with a number of tries. It depends on nothing but the text's state
and phrases, so its results are remembered, and so are those of its beginnings: most searches differ only in
their first attempt, after which they write the same phrases in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from neurologic.bounded_table import BoundedTable
from neurologic.feasibility.attempts import Attempts, Remaining
from neurologic.feasibility.residual_solver import ResidualSolver
from neurologic.limits import check_time
from neurologic.matching.clause_tracker import ClauseTracker
from neurologic.matching.matcher import Matcher
from neurologic.matching.vocabulary import TokenIds

# The number of token sequences that a search for a plan tries before it gives up.
_TRIES = 400
# The same for each phrase of formulas with very many.
_TRIES_PER_PHRASE = 4
# The number of further tries once it has found a plan: a shorter one is often close by.
_TRIES_FOR_BETTER = 150

_SEARCHES_KEPT = 50_000  # searches, or 25 tokens of what they found
_RESTS_KEPT = 60_000
_TOKENS_OF_AN_ENTRY = 25  # for estimates of memory in entries of about 200 bytes


class _Node(NamedTuple):
    """A text on the way to a plan.

    tokens  of the attempts that lead to it
    tries   left when the search came here
    """

    state: int
    found: int
    tokens: TokenIds
    remaining: Remaining
    tries: int


class _Rest(NamedTuple):
    """What a straight run finds after one of its nodes: the tokens of a plan from a place on.

    tries  from the node to the first plan
    """

    plan: TokenIds
    start: int
    tries: int


_Rests = BoundedTable[tuple[int, int], _Rest]


def _weight(plan: TokenIds | None) -> int:
    return 1 + len(plan or ()) // _TOKENS_OF_AN_ENTRY


class PlanSearch:
    """Finds plans for one formula. Thread-safe."""

    def __init__(
        self, matcher: Matcher, tracker: ClauseTracker, solver: ResidualSolver, attempts: Attempts
    ) -> None:
        self._matcher = matcher
        self._tracker = tracker
        self._solver = solver
        self._attempts = attempts
        self._known: BoundedTable[tuple[int, int], TokenIds | None] = BoundedTable(_SEARCHES_KEPT, _weight)
        self._rests: _Rests = BoundedTable(_RESTS_KEPT)

    @property
    def remembered(self) -> int:
        """How many entries of about 200 bytes the results take, about."""
        return len(self._known) + len(self._rests)

    def plan(self, state: int, found: int) -> TokenIds | None:
        """Return a plan for a text; () where it may end, None where the search finds no way."""
        try:
            return self._known[state, found]
        except KeyError:
            plan = self._known[state, found] = self._search(state, found)
            return plan

    def may_end(self, state: int, found: int) -> bool:
        """Return whether a text that ends here satisfies every clause: the end settles provisional words."""
        present = found | self._matcher.provisional(state) | self._matcher.verdict(state).true
        return self._matcher.may_end(state) and self._tracker.holds(present)

    def read(self, state: int, found: int, tokens: TokenIds) -> tuple[int, int] | None:
        """Return state and phrases after tokens; None if they are not text, or break a clause for good."""
        check_time()
        after = self._matcher.read(state, tokens)
        if after is None or self.failed(after[0], found | after[1]):
            return None
        return after[0], found | after[1]

    def failed(self, state: int, found: int) -> bool:
        """Return whether a clause is broken for good."""
        return self._tracker.is_broken(found, self._matcher.verdict(state))

    def _search(self, state: int, found: int) -> TokenIds | None:
        if self.may_end(state, found):
            return ()
        solution = self._solver.solve(found)
        if solution is None:
            return None
        tries = max(_TRIES, _TRIES_PER_PHRASE * len(solution))
        inside = any(self._matcher.partial_matches(state))
        fewest = 0 if inside else self._solver.fewest_tokens(found | self._matcher.provisional(state))
        return _Run(self, self._attempts, self._rests, tries, fewest).plan(state, found)


class _Run:
    """One search: the path to the text that it looks at, and the tries left.

    What a run does after a node of its path is what a run that begins there would do, as long as it does not
    turn back to the node. It knows the texts before the node as well, but cannot come to one of these again
    once more phrases are found; and it has fewer tries, but only those after the first plan matter.
    """

    def __init__(
        self, search: PlanSearch, attempts: Attempts, rests: _Rests, tries: int, fewest: int
    ) -> None:
        """Stop at a plan of `fewest` tokens, since no way takes fewer; 0 if that is not known."""
        self._search = search
        self._attempts = attempts
        self._rests = rests
        self._tries = tries
        self._fewest = fewest
        self._path: list[_Node] = []
        self._reached_in: dict[tuple[int, int], int] = {}
        self._has_turned_back = False

    def plan(self, state: int, found: int) -> TokenIds | None:
        """Return the shortest plan that the tries lead to; None without any."""
        self._go_to((state, found), ())
        first, is_best = self._first_plan()
        if first is None:
            return None
        path, tries = tuple(self._path), self._tries
        is_straight = not self._has_turned_back and tries >= _TRIES_FOR_BETTER
        best, highest = (first, len(path) - 1) if is_best else self._best_plan(first)
        if is_straight and self._path:
            self._remember(best, path[: highest + 1], tries)
        return best

    def _first_plan(self) -> tuple[TokenIds | None, bool]:
        """Return the first plan, or the best one where a node knows it, and whether it is the best."""
        while self._path and self._tries > 0:
            node = self._path[-1]
            if node.tries == self._tries and not self._has_turned_back:
                rest = self._rests.get((node.state, node.found))
                if rest is not None and node.tries - rest.tries >= _TRIES_FOR_BETTER:
                    self._tries -= rest.tries
                    return node.tokens + rest.plan[rest.start :], True
            plan = self._try_next(None)
            if plan is not None:
                return plan, len(plan) <= self._fewest
        return None, False

    def _best_plan(self, best: TokenIds) -> tuple[TokenIds, int]:
        """Return the shortest plan after a first one, and the highest place with a further try."""
        self._tries = min(self._tries, _TRIES_FOR_BETTER)
        highest = len(self._path)
        while self._path and self._tries > 0:
            highest = min(highest, len(self._path) - 1)
            best = self._try_next(len(best)) or best
        return best, highest

    def _try_next(self, below: int | None) -> TokenIds | None:
        """Try what is next for a plan of fewer tokens, if given; return the plan if this completes one."""
        node = self._path[-1]
        attempt, tries = node.remaining.next(None if below is None else below - len(node.tokens))
        self._tries -= tries
        if self._tries < 0:
            return None
        if attempt is None:
            self._path.pop()
            self._has_turned_back = True
            return None
        reached = self._search.read(node.state, node.found, attempt)
        if reached is None:
            return None
        tokens = node.tokens + attempt
        if self._search.may_end(*reached):
            return tokens
        if reached not in self._reached_in or len(tokens) < self._reached_in[reached]:
            self._go_to(reached, tokens)
        return None

    def _go_to(self, reached: tuple[int, int], tokens: TokenIds) -> None:
        self._reached_in[reached] = len(tokens)
        self._path.append(_Node(*reached, tokens, self._attempts.after(*reached), self._tries))

    def _remember(self, plan: TokenIds, path: Sequence[_Node], tries: int) -> None:
        """Remember the rest of a plan after nodes that find a phrase; `tries` were left at the first plan."""
        for node, following in pairwise(path):
            if following.found != node.found:
                self._rests[node.state, node.found] = _Rest(plan, len(node.tokens), node.tries - tries)
