"""The SAT layer: the same answers as truth tables and as another solver, within its budget."""

from __future__ import annotations

import random
import time
from itertools import product

import pytest

from neurologic.logic import (
    Literal,
    Phrase,
    all_of,
    any_of,
    at_most,
    clause_state,
    find_contradiction,
    parse,
    phrase,
    to_clauses,
)
from neurologic.logic.refutation import decide
from random_problems import is_core, is_minimal, problem, second_opinion


@pytest.mark.parametrize("seed", range(300))
def test_small_problems_as_truth_tables_say(seed: int) -> None:
    roots, contained = problem(random.Random(seed), most=7)
    phrases = sorted({atom for root in roots for atom in _atoms(root)} | set(contained), key=str)
    phrases += [inner for inside in contained.values() for inner in inside if inner not in phrases]

    def allowed(values: dict[Phrase, bool]) -> bool:
        return all(
            values[inner] or not values[outer] for outer, inside in contained.items() for inner in inside
        ) and all(clause_state(root, values.__getitem__).satisfied for root in roots)

    tables = (dict(zip(phrases, row, strict=True)) for row in product((True, False), repeat=len(phrases)))
    assert decide(roots, contained).satisfiable == any(map(allowed, tables))


def _atoms(root: object) -> list[Phrase]:
    if isinstance(root, Literal):
        return [root.atom]  # type: ignore[list-item]
    return [atom for part in root.parts for atom in _atoms(part)]  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(100))
def test_large_problems_as_another_solver_says(seed: int) -> None:
    roots, contained = problem(random.Random(seed))
    verdict = decide(roots, contained)
    assert verdict.satisfiable == second_opinion(roots, contained)
    if not verdict.satisfiable:
        assert is_core(verdict, roots, contained)
        assert not verdict.is_minimal or is_minimal(verdict, roots, contained)


def random_3_sat(words: int, clauses: int, seed: int) -> str:
    chance = random.Random(seed)
    return " & ".join(
        f"({' | '.join(chance.choice(['', '!']) + f'w{word}' for word in chance.sample(range(words), 3))})"
        for _ in range(clauses)
    )


@pytest.mark.parametrize("seed", range(4))
def test_random_3_sat_of_a_hundred_words_is_decided(seed: int) -> None:
    roots = [clause.root for clause in to_clauses(parse(random_3_sat(100, 430, seed)))]
    start = time.process_time()
    assert decide(roots, {}, with_core=False).satisfiable == second_opinion(roots, {})
    assert time.process_time() - start < 2


@pytest.mark.parametrize("counted", [False, True])
def test_eight_pigeons_do_not_fit_into_seven_holes(counted: bool) -> None:
    pigeons = [any_of(*(f"p{i}h{j}" for j in range(7))) for i in range(8)]
    holes = (
        [at_most(1, *(f"p{i}h{j}" for i in range(8))) for j in range(7)]
        if counted
        else [~(phrase(f"p{i}h{j}") & f"p{k}h{j}") for j in range(7) for i in range(8) for k in range(i)]
    )
    clauses = to_clauses(all_of(*pigeons, *holes))
    start = time.process_time()
    found = find_contradiction(clauses)
    assert found is not None
    assert len(found.clauses) == len(clauses)
    assert time.process_time() - start < 8


def test_what_holds_of_every_text_takes_part() -> None:
    a, b = Phrase("a"), Phrase("b")
    roots = [Literal(a), Literal(b)]
    assert decide(roots, {}).satisfiable
    verdict = decide(roots, {}, always=[(Literal(a, False), Literal(b, False))])
    assert verdict.satisfiable is False
    assert verdict.core == {0, 1}


def test_the_budget_is_kept() -> None:
    pigeons = [any_of(*(f"p{i}h{j}" for j in range(14))) for i in range(15)]
    holes = [~(phrase(f"p{i}h{j}") & f"p{k}h{j}") for j in range(14) for i in range(15) for k in range(i)]
    roots = [clause.root for clause in to_clauses(all_of(*pigeons, *holes))]
    start = time.process_time()
    assert decide(roots, {}, seconds=0.3).satisfiable is None
    assert time.process_time() - start < 2
