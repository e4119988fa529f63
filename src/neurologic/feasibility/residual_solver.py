"""Solve the residual formula: find phrases to write so that every clause holds.

Phrases only ever go from absent to present, so a partial text is a set of present phrases, and a
solution is a set of further phrases. Writing a phrase also writes the phrases it contains. A predicate may
take either value; what that costs, and whether it is possible beside the others, only a plan shows. The
solver searches depth-first over the unsatisfied clauses, cheapest phrase first; it finds joint dead ends such
as (!a | b) & (!b | c) & !c after "a", which no single clause shows.

Formulas that people write take a step or two per clause, faster than any general method. Where the search
does not end soon, a SAT solver decides. Which of the two answers depends on the formula and on the phrases
present, never on what was asked before, so that a text does not depend on the texts before it.
"""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping, Sequence
from functools import cached_property, reduce
from itertools import takewhile
from operator import or_
from typing import Any

from neurologic.bounded_table import BoundedTable
from neurologic.limits import check_time
from neurologic.logic.clause_trees import alternatives
from neurologic.logic.clauses import Literal
from neurologic.logic.refutation import new_solver
from neurologic.logic.sat_encoding import Encoding
from neurologic.matching.clause_tracker import ClauseTracker, bits

# The depth-first search hands over to the SAT solver after this many steps beyond two per clause, fewer where
# each of them looks at thousands of literals.
_STEPS = 500
_FEWEST_STEPS = 20
_LITERALS = 200_000
# The SAT solver gives up on a residual formula after this many conflicts, about a second; no way is known
# then. Not after a time, which would make a text depend on the machine.
_CONFLICTS = 20_000
# Remembered answers are bounded by the phrases in all of them together.
_PHRASES_KEPT = 1_000_000
_FEWEST_KEPT = 1_000
_CHEAPEST_KEPT = 10_000  # sets of phrases of a clause that nobody has to order again
_PHRASES_OF_AN_ENTRY = 25  # for estimates of memory in entries of about 200 bytes
_TAILS = 64  # remembered with each solution
_DROPPED = 200  # phrases of a SAT solver's answer that are tried to be dropped


class ResidualSolver:
    """Solves the clauses that are still unsatisfied. Thread-safe.

    costs[i]    tokens that writing phrase i takes, None where the model cannot write it; those of predicates
                come after those of phrases
    implied[i]  bit set of the phrases that are present whenever phrase i is, itself included
    """

    def __init__(self, tracker: ClauseTracker, costs: Sequence[int | None], implied: Sequence[int]) -> None:
        self._tracker = tracker
        self._costs = costs
        self._implied = implied
        self._writable = sum(1 << phrase for phrase, cost in enumerate(costs) if cost is not None)
        kept = max(_FEWEST_KEPT, _PHRASES_KEPT // (1 + len(tracker.clauses)))
        self._known: BoundedTable[int, tuple[int, ...] | None] = BoundedTable(kept)
        self._known_cheapest: BoundedTable[int, int] = BoundedTable(_CHEAPEST_KEPT)
        # Tails of the first solution: always there, whatever else is forgotten.
        self._first: dict[int, tuple[int, ...]] = {}
        literals = sum(len(clause.literals) for clause in tracker.clauses)
        self._steps = 2 * len(tracker.clauses) + max(_FEWEST_STEPS, min(_STEPS, _LITERALS // (1 + literals)))
        self._remember_tails(0, self.solve(0) or (), self._first)

    @property
    def remembered(self) -> int:
        """How much the answers take, in entries of about 200 bytes."""
        return len(self._known) * (1 + len(self._tracker.clauses) // _PHRASES_OF_AN_ENTRY)

    def solve(self, present: int) -> tuple[int, ...] | None:
        """Return phrases to write and predicates to change so that all clauses hold; None without a way."""
        if present in self._first:
            return self._first[present]
        try:
            return self._known[present]
        except KeyError:
            pass
        try:
            solution = self._depth_first(present)
            self._remember_tails(present, solution or (), self._known)
        except _TooManySteps:
            solution = self._by_sat(present)
        self._known[present] = solution
        return solution

    def fewest_tokens(self, present: int) -> int:
        """Return how many tokens any way takes after a text inside of no phrase; 0 if that is not known.

        Known where every clause that is left wants phrases of its own: each takes its cheapest one. Phrases
        that overlap may take fewer.
        """
        unsatisfied = self._tracker.at_end(present).unsatisfied
        if unsatisfied & ~self._independent:
            return 0
        ways = (self._tracker.helpful(clause) & self._writable & ~present for clause in bits(unsatisfied))
        return sum(self._costs[self._cheapest(phrases)] or 0 for phrases in ways if phrases)

    def _remember_tails(
        self, present: int, solution: tuple[int, ...], table: MutableMapping[int, Any]
    ) -> None:
        """Remember what is left of a solution after each of its phrases.

        A depth-first search would find the same from there; the SAT solver might not.
        """
        for done, phrase in enumerate(solution[:_TAILS], 1):
            present = self._after(present, (phrase,))
            table[present] = solution[done:]

    def _after(self, present: int, changed: Iterable[int]) -> int:
        """Return what is true after phrases are written and predicates changed."""
        for atom in changed:
            turned_off = present & self._tracker.predicates & 1 << atom
            present = present ^ turned_off if turned_off else present | self._implied[atom]
        return present

    def _depth_first(self, present: int) -> tuple[int, ...] | None:
        # Each entry: the phrases present, those chosen so far, and the choices not yet tried, each of them
        # one phrase or several that have no alternative.
        stack: list[tuple[int, tuple[int, ...], list[tuple[int, ...]]]] = []
        current = present
        chosen: tuple[int, ...] = ()
        for _ in range(self._steps):
            check_time()
            status = self._tracker.at_end(current)
            if not status.unsatisfied:
                return chosen
            choices = [] if status.failed else self._choices(status.unsatisfied, current, chosen)
            stack.append((current, chosen, choices))
            while stack and not stack[-1][2]:
                stack.pop()
            if not stack:
                return None
            base, chosen, choices = stack[-1]
            phrases = choices.pop()
            current = self._after(base, phrases)
            chosen += phrases
        raise _TooManySteps

    @cached_property
    def _problem(self) -> _SatProblem:
        return _SatProblem(self._tracker, self._writable, self._implied)

    def _by_sat(self, present: int) -> tuple[int, ...] | None:
        found = self._problem.solve(present)
        return None if found is None else self._without_needless(present, found)

    def _choices(self, unsatisfied: int, present: int, chosen: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return phrases and predicates that help the clause with the fewest ways out, cheapest last."""
        tracker = self._tracker
        predicates = tracker.predicates and tracker.predicates & ~sum(1 << atom for atom in chosen)
        open_ways = self._writable & ~present & (~tracker.predicates | predicates)
        fewest = len(self._costs) + 1
        best: list[tuple[int, int]] = []  # clauses with the fewest ways, and these ways
        for clause in bits(unsatisfied):
            ways = tracker.helpful(clause) & open_ways | tracker.harmful(clause) & present & predicates
            number = ways.bit_count()
            if number < fewest:
                best, fewest = [], number
            if number == fewest:
                best.append((clause, ways))
            if not ways:
                return []
        # Take independent clauses in one step, in the order in which single steps would: hundreds of
        # required words are common, and what is written for one of them changes no other.
        together = takewhile(lambda clause_and_ways: self._independent >> clause_and_ways[0] & 1, best)
        phrases = tuple(self._cheapest(ways) for _, ways in together)
        return [phrases] if phrases else [(phrase,) for phrase in self._by_cost(best[0][1])]

    def _cheapest(self, phrases: int) -> int:
        known = self._known_cheapest.get(phrases)
        if known is None:
            known = self._known_cheapest[phrases] = self._by_cost(phrases)[-1]
        return known

    def _by_cost(self, phrases: int) -> list[int]:
        return sorted(bits(phrases), key=lambda phrase: (-(self._costs[phrase] or 0), -phrase))

    @cached_property
    def _independent(self) -> int:
        """Bit set of the clauses whose phrases, and those that come with them, are in no other clause."""
        tracker = self._tracker
        return sum(
            1 << number
            for number, clause in enumerate(tracker.clauses)
            if all(isinstance(part, Literal) and part.positive for part in alternatives(clause.root))
            and all(
                tracker.touching(self._implied[phrase]) == 1 << number
                for phrase in bits(tracker.helpful(number))
            )
            and not tracker.helpful(number) & tracker.predicates
        )

    def _without_needless(self, present: int, found: int) -> tuple[int, ...]:
        """Return the phrases that must be written, and the predicates to change, cheapest first."""
        changed = (found & self._writable & ~present) | (present & ~found & self._tracker.predicates)
        kept = sorted(bits(changed), key=lambda atom: (self._costs[atom] or 0, atom))
        for atom in kept[::-1][:_DROPPED]:
            fewer = [other for other in kept if other != atom]
            if not self._tracker.at_end(self._after(present, fewer)).unsatisfied:
                kept = fewer
        return tuple(kept)


class _TooManySteps(Exception):
    pass


class _SatProblem:
    """The clauses as a SAT problem; the phrases that are present are assumptions.

    A phrase that the model cannot write occurs only if it is present already (the variable `given`) or if a
    phrase that contains it is written.
    """

    def __init__(self, tracker: ClauseTracker, writable: int, implied: Sequence[int]) -> None:
        encoding = Encoding()
        for clause in tracker.clauses:
            encoding.clauses.append([encoding.add_root(clause.root)])
        variables = [encoding.variable(atom) for atom in tracker.atoms]
        around: dict[int, list[int]] = {}
        for outer, inside in enumerate(implied):
            for inner in bits(inside & ~(1 << outer)):
                encoding.clauses.append([-variables[outer], variables[inner]])
                if writable >> outer & 1:
                    around.setdefault(inner, []).append(variables[outer])
        self._given = {
            phrase: encoding.fresh() for phrase in range(len(variables)) if not writable >> phrase & 1
        }
        for phrase, given in self._given.items():
            encoding.clauses.append([-variables[phrase], given, *around.get(phrase, ())])
        self._variables = variables
        self._phrases = ~tracker.predicates  # predicates may take either value
        self._implied = implied
        self._clauses = encoding.clauses

    def solve(self, present: int) -> int | None:
        """Return the phrases of a satisfying assignment as a bit set; None if it finds none in time."""
        present &= self._phrases
        present = reduce(or_, (self._implied[phrase] for phrase in bits(present)), present)
        assumptions = [self._variables[phrase] for phrase in bits(present)]
        assumptions += [given if present >> phrase & 1 else -given for phrase, given in self._given.items()]
        # A new solver each time: one that has learned from other questions would give other answers.
        solver = new_solver(self._clauses)
        try:
            solver.conf_budget(_CONFLICTS)
            if not solver.solve_limited(assumptions=assumptions):
                return None
            true = {literal for literal in solver.get_model() or () if literal > 0}
        finally:
            solver.delete()
        return sum(1 << phrase for phrase, variable in enumerate(self._variables) if variable in true)
