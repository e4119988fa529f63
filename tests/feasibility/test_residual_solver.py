"""What is left of a formula: a solution is found exactly when there is one."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from neurologic.feasibility.residual_solver import ResidualSolver
from neurologic.logic import Clause, Literal, Phrase, Threshold, parse, to_clauses
from neurologic.matching.clause_tracker import ClauseTracker
from random_cases import cases

NAMES = "abcde"
PHRASES = [Phrase(name) for name in NAMES]


def solver_of(
    clauses: tuple[Clause, ...], implied: list[int] | None = None
) -> tuple[ResidualSolver, ClauseTracker]:
    tracker = ClauseTracker(clauses, PHRASES)
    return ResidualSolver(
        tracker, [1] * len(PHRASES), implied or [1 << i for i in range(len(PHRASES))]
    ), tracker


def nodes() -> st.SearchStrategy[Literal | Threshold]:
    literals = st.builds(Literal, st.sampled_from(PHRASES), st.booleans())

    def threshold(children: st.SearchStrategy[Literal | Threshold]) -> st.SearchStrategy[Threshold]:
        parts = st.lists(children, min_size=1, max_size=3).map(tuple)
        return parts.flatmap(lambda p: st.builds(Threshold, st.integers(1, len(p)), st.just(p)))

    return st.recursive(literals, threshold, max_leaves=5)


@cases(250)
@given(st.lists(nodes(), min_size=1, max_size=5), st.integers(0, 2 ** len(NAMES) - 1))
def test_solves_what_can_be_solved_by_brute_force(roots: list[Literal | Threshold], present: int) -> None:
    clauses = tuple(Clause(root, f"clause {number}") for number, root in enumerate(roots))
    solver, tracker = solver_of(clauses)
    supersets = (present | extra for extra in range(2 ** len(NAMES)))
    solvable = any(not tracker.at_end(candidate).unsatisfied for candidate in supersets)
    solution = solver.solve(present)
    assert (solution is not None) == solvable
    if solution is not None:
        for phrase in solution:
            present |= 1 << phrase
        assert not tracker.at_end(present).unsatisfied


def test_a_joint_dead_end_is_found_although_no_clause_shows_it() -> None:
    clauses = to_clauses(parse("(!a | b) & (!b | c) & !c"))
    solver, _ = solver_of(clauses)
    a = 1 << NAMES.index("a")
    assert solver.solve(0) == ()
    assert solver.solve(a) is None


def test_writing_a_phrase_writes_what_it_contains() -> None:
    clauses = to_clauses(parse("(a | b) & !c"))
    c_in_a = [0b00101, 0b00010, 0b00100, 0b01000, 0b10000]
    solver, _ = solver_of(clauses, c_in_a)
    assert solver.solve(0) == (NAMES.index("b"),)


@cases(200)
@given(st.lists(nodes(), min_size=1, max_size=4))
def test_clause_states_after_every_set_of_phrases(roots: list[Literal | Threshold]) -> None:
    """The tracker's short cut (only touched clauses are looked at) changes no state."""
    clauses = tuple(Clause(root, f"clause {number}") for number, root in enumerate(roots))
    tracker = ClauseTracker(clauses, PHRASES)
    for settled, extra in product(range(2 ** len(NAMES)), (0, 0b101)):
        status = tracker.status(settled, extra)
        states = tracker.states(settled, extra)
        assert status.satisfied == sum(state.satisfied for state in states)
        assert status.failed == any(state.name == "S2" for state in states)
        assert [bool(status.irreversible >> n & 1) for n in range(len(states))] == [
            state.name == "S4" for state in states
        ]
