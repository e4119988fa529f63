"""Plans for predicates: short texts that satisfy what people write; hostile formulas cost no time."""

from __future__ import annotations

import time

import pytest

from neurologic.errors import FormulaError
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.logic.specification import holds
from neurologic.matching.vocabulary import Vocabulary
from toys import toy_vocabulary

LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOCABULARY = toy_vocabulary(
    *LETTERS,
    *(" " + letter for letter in LETTERS),
    " ",
    ".",
    "\n",
    ",",
    "?",
    "!",
    " it",
    " and",
    *"0123456789-",
)


TALKATIVE = toy_vocabulary(*LETTERS, *(" " + letter for letter in LETTERS), ".", "\n", "\n\n", " it", " and")


def plan(formula: str, vocabulary: Vocabulary = VOCABULARY) -> str | None:
    constraint = compile_formula(parse(formula), vocabulary)
    tokens = constraint.planner.plan(constraint.matcher.start(), 0)
    return None if tokens is None else vocabulary.decode(tokens).decode()


@pytest.mark.parametrize(
    "formula",
    [
        "order(c, b, a)",
        "near(2, a, b) & !order(a, b)",
        "starts(a) & ends(b)",
        'ends("b?") & words(7)',
        "words(40) & sentences(4)",
        "words(20..) & every(sentence, words(..6))",
        "characters(17)",
        "paragraphs(3) & every(paragraph, sentences(2) & a)",
        "lines(4) & no(line, a) & a | lines(2)",
        "first(sentence, a) & last(sentence, b) & nth(2, sentence, !a) & sentences(3)",
        "nth(3, word, a) & nth(-2, word, b) & words(..9)",
        "count(2, sentence, starts(a)) & sentences(4)",
        "/[0-9]{4}-[0-9]{2}/ & words(..5)",
        "fully(/a [b-d]+, (e|f)?g/)",
        '"a b" & a[unless="a b"]',
        "every(sentence, starts(a) -> b) & some(sentence, starts(a)) & sentences(2..)",
        "!words(..3) & !/ab/ & a & b",
        'count(3, line, starts("- ")) & every(line, starts("- ") & words(3..15))',
    ],
)
def test_there_is_a_plan_and_it_satisfies_the_formula(formula: str) -> None:
    text = plan(formula)
    assert text is not None
    assert holds(parse(formula), text), text


@pytest.mark.parametrize(
    "formula",
    [
        "/(a+)+$/",
        "/.*a.{18}b/",
        "nth(9999, word, a)",
        "count(2000.., word, a)",
        "near(500, a, b)",
        "words(9000)",
    ],
)
def test_hostile_formulas_are_compiled_in_time(formula: str) -> None:
    began = time.process_time()
    plan(formula)
    assert time.process_time() - began < 5  # a second on an idle machine


@pytest.mark.parametrize("formula", ["/.{0,100000}/", "nth(1000000000, word, a)", "nth(-900, word, a)"])
def test_what_is_too_large_is_refused(formula: str) -> None:
    with pytest.raises(FormulaError):
        plan(formula)


def test_lengths_bound_the_tokens_from_below() -> None:
    assert compile_formula(parse("words(30..)"), VOCABULARY).lower_bound == 30
    assert compile_formula(parse("characters(30..)"), VOCABULARY).lower_bound == 8  # " and" has four


@pytest.mark.parametrize("begun", ["", " x y", " x y a", " x y a x", " x y a x c b"])
def test_words_at_several_places_have_a_plan_wherever_a_text_stands(begun: str) -> None:
    formula = "words(11) & sentences(1) & nth(3, word, a) & nth(6, word, b) & last(word, c)"
    constraint = compile_formula(parse(formula), VOCABULARY)
    state, found = constraint.matcher.start(), 0
    assert constraint.planner.plan(state, found) is not None  # later ones get less patience
    for letter in begun.split():
        state, more = constraint.matcher.step(state, VOCABULARY.token_of[f" {letter}".encode()])
        found |= more
    tokens = constraint.planner.plan(state, found)
    assert tokens is not None
    assert holds(parse(formula), begun + VOCABULARY.decode(tokens).decode())


def test_a_last_word_that_may_be_said_once_is_kept_for_the_end() -> None:
    text = plan("words(9) & last(word, b) & !b[times=2]")
    assert text is not None
    assert text.split().index("b") == 8


def test_plans_for_many_characters_use_long_words() -> None:
    vocabulary = toy_vocabulary(*LETTERS, " ", ".", " it", " everything")
    constraint = compile_formula(parse("characters(100) & sentences(1)"), vocabulary)
    tokens = constraint.planner.plan(constraint.matcher.start(), 0)
    assert tokens is not None
    assert len(tokens) <= 14


def test_a_plan_has_no_move_that_it_can_do_without() -> None:
    """A paragraph need not be filled before the one that is owed."""
    text = plan("last(paragraph, starts(a) & words(3..12) & lines(1)) & paragraphs(2..3)", TALKATIVE)
    assert text is not None
    assert len(text.split()) <= 7


def test_a_required_expression_is_partly_written_from_its_second_character_on() -> None:
    constraint = compile_formula(parse("/2[0-9]{3}-[0-9]{2}/"), VOCABULARY)
    state, shares = constraint.matcher.start(), []
    for character in " 202-":
        state, _ = constraint.matcher.step(state, VOCABULARY.token_of[character.encode()])
        outlook = constraint.outlook(state, 0)
        shares.append((round(outlook.fraction, 2), outlook.inside))
    assert shares == [(0.0, False), (0.0, False), (0.29, True), (0.43, True), (0.0, False)]
