"""Plans: every promise is kept, token by token."""

from __future__ import annotations

import time
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from formulas import NUMBER_VOCABULARY, NUMBERS, satisfiable, small_formulas
from neurologic.errors import BudgetError, UnspellableError
from neurologic.feasibility.compiled_constraint import CompiledConstraint, compile_formula
from neurologic.logic import Formula, all_of, check, parse
from neurologic.matching.matcher import DEAD
from neurologic.matching.vocabulary import Vocabulary
from random_cases import cases
from toys import toy_vocabulary

VOCABULARY = toy_vocabulary("a", "b", "c", " ", " a", " b", "ab", ".", "s")


def compiled(text: str | Formula) -> CompiledConstraint:
    return compile_formula(parse(text) if isinstance(text, str) else text, VOCABULARY)


def read(constraint: CompiledConstraint, tokens: tuple[int, ...]) -> tuple[int, int] | None:
    state, found = constraint.matcher.start(), 0
    for token in tokens:
        state, more = constraint.matcher.step(state, token)
        if state == DEAD:
            return None
        found |= more
    return state, found


@cases(400)
@given(small_formulas(), st.lists(st.integers(1, len(VOCABULARY) - 1), max_size=4).map(tuple))
def test_a_plan_leads_to_a_satisfied_text_and_its_tails_are_known(
    formula: Formula, tokens: tuple[int, ...]
) -> None:
    require_kept_promises(formula, VOCABULARY, tokens)


@cases(200)
@given(small_formulas(NUMBERS), st.lists(st.integers(1, len(NUMBER_VOCABULARY) - 1), max_size=4).map(tuple))
def test_plans_over_numbers_are_kept_too(formula: Formula, tokens: tuple[int, ...]) -> None:
    require_kept_promises(formula, NUMBER_VOCABULARY, tokens)


def require_kept_promises(formula: Formula, vocabulary: Vocabulary, tokens: tuple[int, ...]) -> None:
    constraint = satisfiable(formula, vocabulary)
    position = read(constraint, tokens)
    assume(position is not None and not constraint.status(*position).failed)
    assert position is not None
    plan = constraint.planner.plan(*position)
    assume(plan is not None)
    assert plan is not None
    text = vocabulary.decode(tokens + plan).decode()
    assert all(report.satisfied for report in check(constraint.clauses, text)), text
    for length in range(1, len(plan) + 1):
        after = read(constraint, tokens + plan[:length])
        assert after is not None
        assert constraint.planner.fits(*after, len(plan) - length)


@cases(100)
@given(small_formulas())
def test_the_lower_bound_is_below_every_satisfying_text(formula: Formula) -> None:
    constraint = satisfiable(formula, VOCABULARY)
    for length in range(constraint.lower_bound):
        for tokens in product(range(1, len(VOCABULARY)), repeat=min(length, 3)):
            text = VOCABULARY.decode(tokens).decode()
            assert not all(report.satisfied for report in check(constraint.clauses, text))


def test_a_word_under_way_is_finished_rather_than_begun_anew() -> None:
    vocabulary = toy_vocabulary(" fris", "bee", " frisbee", ".", " ")
    constraint = compile_formula(parse("frisbee"), vocabulary)
    state, found = constraint.matcher.step(constraint.matcher.start(), 1)
    assert constraint.planner.plan(state, found) == (2,)


@pytest.mark.parametrize(
    ("formula", "tokens"),
    [("a[times=3]", 3), ("a[times=900]", 900), ('a[times=3] & !"a a"', 5), ("a[times=2] & b[times=2]", 4)],
)
def test_a_phrase_is_planned_for_as_often_as_it_is_wanted(formula: str, tokens: int) -> None:
    assert compiled(formula).upper_bound() == tokens


def test_counts_that_do_not_matter_are_not_planned_for() -> None:
    """However often a phrase was written that may not come a third time, the plan is the same."""
    constraint = compiled("c & !a[times=3] & !b[times=3]")
    after = read(constraint, VOCABULARY.segment(" a b a."))
    assert after is not None
    fresh = constraint.planner.plan(constraint.matcher.with_counts(after[0], ()), after[1])
    assert constraint.planner.plan(*after) == fresh


def test_places_that_a_phrase_has_count_for_what_is_matched() -> None:
    constraint = compiled("a[times=2]")
    fractions = []
    for text in (" a", " a.", " a. b", " a. a"):
        after = read(constraint, VOCABULARY.segment(text))
        assert after is not None
        fractions.append(constraint.outlook(*after).fraction)
    assert fractions == [0.5, 0.5, 0.5, 0.0]  # at last nothing is owed


def test_the_lower_bound_knows_that_places_overlap() -> None:
    assert compiled('"a a"[times=2]').lower_bound == 3


def test_phrases_that_would_join_to_a_forbidden_one_are_kept_apart() -> None:
    constraint = compiled('a & b & !"a b" & !"b a"')
    plan = constraint.planner.plan(constraint.matcher.start(), 0)
    assert plan is not None
    text = VOCABULARY.decode(plan).decode()
    assert all(report.satisfied for report in check(constraint.clauses, text)), text


def test_a_forbidden_word_under_way_can_still_become_another() -> None:
    constraint = compiled("!ab & !a")
    state, found = constraint.matcher.step(constraint.matcher.start(), 5)  # " a", forbidden if it stays so
    assert not constraint.planner.may_end(state, found)
    plan = constraint.planner.plan(state, found)
    assert plan is not None
    assert len(plan) == 1


def test_a_budget_that_cannot_work_is_refused() -> None:
    constraint = compiled("a & b & c")
    assert constraint.lower_bound == 3
    with pytest.raises(BudgetError, match="at least 3 tokens"):
        constraint.require_budget(2)


def test_a_phrase_that_the_vocabulary_cannot_spell_is_reported() -> None:
    with pytest.raises(UnspellableError, match="zebra"):
        compiled("zebra")
    assert compiled("zebra | a").upper_bound() == 1


def test_another_phrase_is_tried_where_the_cheapest_cannot_be_written() -> None:
    vocabulary = toy_vocabulary(" dog", " tomcat", ".")
    constraint = compile_formula(parse('(dog | tomcat) & !"dog"[case=exact]'), vocabulary)
    assert constraint.upper_bound() == 1


@cases(200)
@given(small_formulas())
def test_a_plan_is_found_wherever_a_short_text_satisfies_the_formula(formula: Formula) -> None:
    constraint = satisfiable(formula, VOCABULARY)
    texts = (tokens for length in range(3) for tokens in product(range(1, len(VOCABULARY)), repeat=length))
    shortest = next(
        (
            tokens
            for tokens in texts
            if all(one.satisfied for one in check(constraint.clauses, VOCABULARY.decode(tokens).decode()))
        ),
        None,
    )
    assume(shortest is not None)
    assert shortest is not None
    bound = constraint.upper_bound()
    assert bound is not None
    assert bound >= len(shortest)


def test_a_forbidden_number_may_still_become_a_longer_one() -> None:
    vocabulary = toy_vocabulary(" 450", ",", "0")
    constraint = compile_formula(parse("!450"), vocabulary)
    for written in ((1,), (1, 2)):
        position = read(constraint, written)
        assert position is not None
        assert not constraint.planner.may_end(*position)
        plan = constraint.planner.plan(*position)
        assert plan is not None
        assert plan[-1] == vocabulary.token_of[b"0"]


@pytest.mark.parametrize("written", ["Uppsala", "uppsala", "UPPSALA"])
def test_a_plan_writes_a_word_as_the_user_did(written: str) -> None:
    vocabulary = toy_vocabulary(" uppsala", "uppsala", " Upp", "sala", " UPP", "SALA")
    plan = compile_formula(parse(written), vocabulary).planner.plan(0, 0)
    assert plan is not None
    assert vocabulary.decode(plan).decode() == f" {written}"


def test_a_word_whose_usual_case_is_forbidden_is_written_with_a_capital() -> None:
    vocabulary = toy_vocabulary("d", "o", "g", "D", "O", "G", " ", ".")
    constraint = compile_formula(parse("dog & !dog[case=exact]"), vocabulary)
    plan = constraint.planner.plan(constraint.matcher.start(), 0)
    assert plan is not None
    assert vocabulary.decode(plan).strip() == b"Dog"


def test_hundreds_of_required_words_have_a_plan() -> None:
    words = [f"{first}{second}" for first in "abcdefghijklmnopqrst" for second in "abcdefghijklmnopqrst"]
    vocabulary = toy_vocabulary(*"abcdefghijklmnopqrst", " ", ".", ",", *(f" {word}" for word in words))
    constraint = compile_formula(all_of(*words), vocabulary)
    start = time.process_time()
    assert constraint.upper_bound() == len(words)
    assert time.process_time() - start < 10
