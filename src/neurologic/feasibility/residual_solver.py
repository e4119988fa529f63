"""Solve the residual formula: find phrases to write so that every clause holds.

Phrases only ever go from absent to present, so a partial text is a set of present phrases, and a solution is
a set of further phrases. Writing a phrase also writes the phrases it contains. A predicate may take either
value; what that costs, and whether it is possible beside the others, only a plan shows. The solver searches
depth-first over the unsatisfied clauses, cheapest phrase first; it finds joint dead ends such as (!a | b) &
(!b | c) & !c after "a", which no single clause shows.
"""

from __future__ import annotations

from collections.abc import Sequence

from neurologic.matching.clause_tracker import ClauseTracker, bits

# Give up on a residual formula after this many steps. Formulas that people write need a step or two per
# clause; only adversarial ones come near.
STEP_LIMIT = 20_000
# The most phrases of a solution: long chains of implications would take minutes, and fit into no text.
PHRASE_LIMIT = 256


class ResidualSolver:
    """Solves the clauses that are still unsatisfied.

    costs[i]    tokens that writing phrase i takes, None where the model cannot write it; those of predicates
                come after those of phrases
    implied[i]  bit set of the phrases that are present whenever phrase i is, itself included
    """

    def __init__(self, tracker: ClauseTracker, costs: Sequence[int | None], implied: Sequence[int]) -> None:
        self._tracker = tracker
        self._costs = costs
        self._implied = implied
        self._known: dict[int, tuple[int, ...] | None] = {}

    def solve(self, present: int) -> tuple[int, ...] | None:
        """Return phrases to write and predicates to change so that all clauses hold; None without a way."""
        if present not in self._known:
            self._known[present] = self._search(present)
        return self._known[present]

    def _search(self, present: int) -> tuple[int, ...] | None:
        # Each entry: the phrases present, those chosen so far, and the choices not yet tried.
        stack: list[tuple[int, tuple[int, ...], list[int]]] = []
        current = present
        chosen: tuple[int, ...] = ()
        for _ in range(STEP_LIMIT):
            status = self._tracker.at_end(current)
            if not status.unsatisfied:
                return chosen
            dead_end = status.failed or len(chosen) == PHRASE_LIMIT
            choices = [] if dead_end else self._choices(status.unsatisfied, current, chosen)
            stack.append((current, chosen, choices))
            while stack and not stack[-1][2]:
                stack.pop()
            if not stack:
                return None
            base, chosen, choices = stack[-1]
            phrase = choices.pop()
            changed = base & ~(1 << phrase) if base >> phrase & 1 else base | self._implied[phrase]
            current, chosen = changed, (*chosen, phrase)
        return None

    def _choices(self, unsatisfied: int, present: int, chosen: tuple[int, ...]) -> list[int]:
        """Return phrases and predicates that help the clause with the fewest ways out, cheapest last."""
        free = ~sum(1 << atom for atom in chosen)
        predicates = self._tracker.predicates & free
        best: list[int] | None = None
        for clause in bits(unsatisfied):
            helpful = self._tracker.helpful(clause) & ~present & (free | ~self._tracker.predicates)
            helpful |= self._tracker.harmful(clause) & present & predicates
            ways = [phrase for phrase in bits(helpful) if self._costs[phrase] is not None]
            if best is None or len(ways) < len(best):
                best = ways
            if not best:
                break
        return sorted(best or [], key=lambda phrase: (-(self._costs[phrase] or 0), -phrase))
