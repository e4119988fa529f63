"""The compiler forgets what is too much, and no text changes."""

from __future__ import annotations

import random
from typing import Any

import pytest

from memory_growth import VOCABULARY, WORDS, Toy, counted_formula, new_formula
from neurologic.bounded_table import BoundedTable
from neurologic.feasibility import residual_solver
from neurologic.generation import compiler
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.matching import clause_tracker
from toys import random_model

OPTIONS: dict[str, Any] = {"num_beams": 2, "max_new_tokens": 12, "alpha": 10}


def new_lm() -> ConstrainedModel:
    return ConstrainedModel(Toy(random_model(VOCABULARY, seed=1)))  # type: ignore[arg-type]


def texts(count: int) -> list[tuple[str, float]]:
    lm = new_lm()
    chance = random.Random(5)
    formulas = [new_formula(chance) for _ in range(3)] + [counted_formula(40)]
    results = [lm.generate(f"prompt {n}", formulas[n % 4], **OPTIONS) for n in range(count)]
    return [(result.text, result.score) for result in results]


def test_texts_are_the_same_whatever_the_tables_forget(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = texts(12)
    monkeypatch.setattr(compiler, "_REMEMBERED_BY_ONE", 50)
    monkeypatch.setattr(compiler, "_HELD", 100)
    monkeypatch.setattr(clause_tracker, "_KEPT", 5)
    monkeypatch.setattr(residual_solver, "_PHRASES_KEPT", 10)
    monkeypatch.setattr(residual_solver, "_FEWEST_KEPT", 2)
    assert texts(12) == expected


def test_a_formula_may_serve_any_number_of_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_REMEMBERED_BY_ONE", 200)
    lm = new_lm()
    held = lm.compile(counted_formula(40))
    lm.generate("the first", held, raw=True, **OPTIONS)
    lm.generate("the second", held, raw=True, **OPTIONS)
    size = held.remembered
    for number in range(6):
        lm.generate(f"prompt {number}", held, raw=True, **OPTIONS)
    assert held.remembered == size  # others serve in its place
    assert lm._compiler._successors[held] is not held


def test_only_so_much_is_kept_of_all_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_HELD", 3_000)
    lm = new_lm()
    chance = random.Random(7)
    for number in range(15):
        lm.generate(f"prompt {number}", new_formula(chance), **OPTIONS)
    lm.compile("a")
    kept = lm._compiler._kept
    assert 1 <= len(kept) < 30
    assert sum(constraint.size + constraint.remembered for constraint in kept.values()) <= 3_000


def test_what_is_kept_is_measured_by_its_size() -> None:
    lm = new_lm()
    small, large = lm.compile("ab"), lm.compile(" & ".join(f"!{word}{word}" for word in WORDS))
    assert large.size > 100 * small.size
    assert lm.compile("!" + "ab" * 5000).size > 10_000


def test_large_formulas_displace_more_than_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_HELD", 10_000)
    lm = new_lm()
    for letter in "abcdefgh":
        lm.compile(" & ".join(f"!{word}{letter}q" for word in WORDS))
    kept = list(lm._compiler._kept.values())
    assert 1 < len(kept) < 8
    assert sum(constraint.size + constraint.remembered for constraint in kept) <= 10_000


def test_states_with_many_counts_weigh_more() -> None:
    few, many = (new_lm().compile(counted_formula(40)) for _ in range(2))
    for constraint, words in ((few, ["ba"] * 40), (many, WORDS[:40])):
        tokens = tuple(VOCABULARY.token_of[f" {word}".encode()] for word in words)
        assert constraint.matcher.read(constraint.matcher.start(), tokens) is not None
    assert many.remembered > 3 * few.remembered


def test_a_table_of_long_values_holds_fewer() -> None:
    table: BoundedTable[int, str] = BoundedTable(10, weigh=len)
    for number in range(9):
        table[number] = "four"
        assert sum(map(len, table.values())) <= 10
    table[9] = "longer than the table"
    assert list(table) == [9]
    table[10] = "four"
    assert list(table) == [10]


def test_a_full_table_begins_anew() -> None:
    table: BoundedTable[int, int] = BoundedTable(3)
    for number in range(7):
        table[number] = number
        assert len(table) <= 3
    table[6] = 8
    assert table == {6: 8}


def test_plans_with_predicates_are_not_shared_between_texts() -> None:
    lm = new_lm()
    assert lm.compile("a") is lm.compile("a")
    assert lm.compile("a & words(2..)") is not lm.compile("a & words(2..)")
    held = lm.compile("a & words(3..6)")
    prompts = ["one", "two", "three"]
    alone = [new_lm().generate(prompt, "a & words(3..6)", **OPTIONS).text for prompt in prompts]
    assert [lm.generate(prompt, held, **OPTIONS).text for prompt in prompts[::-1]][::-1] == alone
    assert [result.text for result in lm.generate(prompts, held, **OPTIONS)] == alone


def test_a_text_depends_on_no_text_before_it() -> None:
    """The plans that one text has found must not lead another one elsewhere."""
    chance = random.Random(11)
    formulas = [new_formula(chance) for _ in range(4)]
    lm = new_lm()
    for formula in formulas:
        first = [lm.generate(f"prompt {number}", formula, **OPTIONS) for number in range(4)]
        again = [lm.generate(f"prompt {number}", formula, **OPTIONS) for number in range(4)]
        alone = [new_lm().generate(f"prompt {number}", formula, **OPTIONS) for number in range(4)]
        told = [[(result.text, result.score) for result in results] for results in (first, again, alone)]
        assert told[0] == told[1] == told[2]
