"""Decide whether clauses can hold together, with a SAT solver and within a budget of processor time.

The variables are atoms ("occurs" or not); clauses, containment and further implications tie them together. A
refutation is a proof: no text satisfies the clauses. On the other hand, an assignment that the solver finds
need not belong to any text, and after the budget the answer is open.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from neurologic.logic.clause_trees import size
from neurologic.logic.clauses import Node
from neurologic.logic.sat_encoding import Disjunction, Encoding, Implications

if TYPE_CHECKING:
    from neurologic.logic.formula import Atom

# Processor time for the answer, and as much again for making the core small: a busy machine changes neither.
SECONDS = 2.0
_CONFLICTS = 500  # after so many conflicts look at the clock: a hundredth of a second

Core = frozenset[int]
Containment = Implications


@dataclass(frozen=True)
class Verdict:
    """The answer of the solver.

    satisfiable  whether some assignment satisfies all clauses; None if the budget was too small to tell
    core         the indices of clauses that cannot hold together, where that is the answer
    is_minimal   whether every clause of the core is needed
    """

    satisfiable: bool | None
    core: Core = frozenset()
    is_minimal: bool = False


class SatSolver(Protocol):
    """The part of python-sat's solvers that this package uses; the package has no types."""

    def solve_limited(self, assumptions: Sequence[int] = ...) -> bool | None: ...
    def conf_budget(self, budget: int) -> None: ...
    def get_core(self) -> list[int] | None: ...
    def get_model(self) -> list[int] | None: ...
    def delete(self) -> None: ...


def new_solver(clauses: Sequence[Sequence[int]]) -> SatSolver:
    """Return MiniSat, of python-sat's solvers the fastest both for small formulas and for hard ones."""
    from pysat.solvers import Minisat22  # costs time, and a formula without phrases needs none

    solver: SatSolver = Minisat22(bootstrap_with=clauses)
    return solver


def solve_until(solver: SatSolver, assumptions: Sequence[int], deadline: float) -> bool | None:
    """Return whether the clauses can hold under the assumptions; None if the deadline comes first."""
    while True:
        solver.conf_budget(_CONFLICTS)
        answer = solver.solve_limited(assumptions=assumptions)
        if answer is not None or time.thread_time() > deadline:
            return answer


def refute(roots: Sequence[Node], contains: Containment, always: Iterable[Disjunction] = ()) -> Core | None:
    """Return the indices of clauses that cannot hold together, or None if it finds none."""
    verdict = decide(roots, contains, always)
    return verdict.core if verdict.satisfiable is False else None


def decide(
    roots: Sequence[Node],
    contains: Mapping[Atom, frozenset[Atom]],
    always: Iterable[Disjunction] = (),
    *,
    seconds: float = SECONDS,
    with_core: bool = True,
) -> Verdict:
    """Return whether all roots can hold together, with a small core where they cannot.

    contains   atoms that certainly occur with others
    always     disjunctions of literals that hold of every text
    with_core  whether the clauses that clash are asked for; without them the answer comes sooner
    """
    encoding = Encoding()
    selectors = [encoding.add_root(root) for root in roots]
    encoding.add_implications(contains)
    encoding.add_disjunctions(always)
    encoding.add_sums(roots, selectors)
    solver = new_solver(encoding.clauses)
    try:
        answer = solve_until(solver, selectors, time.thread_time() + seconds)
        if answer is not False or not with_core:
            return Verdict(answer)
        places = {selector: place for place, selector in enumerate(selectors)}
        core = [selector for selector in solver.get_core() or () if selector in places]
        # Try to do without large clauses first, so that the small ones explain the clash.
        core.sort(key=lambda selector: (-size(roots[places[selector]]), places[selector]))
        core, is_minimal = _minimised(solver, core, time.thread_time() + seconds)
        return Verdict(False, frozenset(places[selector] for selector in core), is_minimal)
    finally:
        solver.delete()


def _minimised(solver: SatSolver, core: list[int], deadline: float) -> tuple[list[int], bool]:
    """Drop assumptions as long as the rest still clashes; return whether all that are left are needed."""
    needed: list[int] = []
    waiting = core
    while waiting:
        selector, *others = waiting
        answer = solve_until(solver, [*needed, *others], deadline)
        if answer is None:
            return needed + waiting, False
        if answer:
            needed.append(selector)
            waiting = others
        else:
            smaller = set(solver.get_core() or ())
            waiting = [other for other in others if other in smaller]
    return needed, True
