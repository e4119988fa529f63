"""Limits: what goes beyond one is refused at once, by name and number; the rest takes linear time."""

from __future__ import annotations

import string
import time
from collections.abc import Callable

import pytest

from neurologic.errors import FormulaError, LimitError
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.limits import Limits, check_time, current_limits, limits_of, markdown_table, time_limit
from neurologic.logic import parse, phrase
from neurologic.search.settings import SearchSettings
from toys import toy_vocabulary

LETTERS = string.ascii_lowercase
VOCABULARY = toy_vocabulary(*LETTERS, *string.digits, " ", ".", ",", *(f" {letter}" for letter in LETTERS))
WORDS = [first + second + third for first in "bcdfg" for second in "aeiou" for third in LETTERS]

FORMULAS: dict[str, Callable[[], str]] = {
    "phrase_characters": lambda: f'"{"ab c" * 25_000}"',
    "times": lambda: "dog[times=10001]",
    "occurrences": lambda: " & ".join(f"{word}[times=10000]" for word in WORDS[:50]),
    "phrases": lambda: " & ".join(f"w{number}" for number in range(50_001)),
    "formula_characters": lambda: "a" + " " * 2_000_000,
}


@pytest.mark.parametrize("name", FORMULAS)
def test_what_is_too_large_is_refused_by_name_and_number(name: str) -> None:
    text = FORMULAS[name]()
    with pytest.raises(LimitError, match=f"{name} is [0-9,]+, and the limit is [0-9,]+") as caught:
        compile_formula(parse(text), VOCABULARY)
    assert caught.value.name == name


@pytest.mark.parametrize("name", ["rows", "num_beams", "max_new_tokens", "alpha", "edit_steps"])
def test_settings_have_limits(name: str) -> None:
    with pytest.raises(LimitError, match=f"the settings: {name} is a number of 100 bits"):
        SearchSettings(**{name: 10**30})


def test_a_tower_of_marks_is_refused() -> None:
    with pytest.raises(FormulaError, match="more than 32 combining marks in a row"):
        parse('"a' + "\u0301" * 10_000 + '"')


LARGE: dict[str, Callable[[], str]] = {
    "a long phrase": lambda: f'"{"ab c" * 2_000}"',
    "runs of one letter": lambda: " & ".join("!" + "a" * length for length in range(1, 1_500)),
    "runs anywhere": lambda: " & ".join(f"!{'a' * n}[match=substring]" for n in range(1, 700)),
    "500 inflected words": lambda: " & ".join(f"inflect({word})" for word in WORDS[:500]),
    "a DNF of 1,000 times 5": lambda: " | ".join(
        "(" + " & ".join(f"w{row}x{column}" for column in range(5)) + ")" for row in range(1_000)
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_formulas_compile_and_plan_in_seconds(name: str) -> None:
    text = LARGE[name]()
    start = time.process_time()
    constraint = compile_formula(parse(text), VOCABULARY)
    assert constraint.upper_bound() is not None
    assert time.process_time() - start < 20


def test_a_server_takes_less() -> None:
    with limits_of(Limits.for_server()):
        with pytest.raises(LimitError, match="phrase_characters is 501, and the limit is 500"):
            parse("a" * 501)
        with pytest.raises(LimitError):
            SearchSettings(num_beams=33)
    assert current_limits() == Limits()
    assert parse("a" * 501) == phrase("a" * 501)


def test_an_expression_with_endless_states_fills_no_memory() -> None:
    """Planning explores the states that a text could reach; of these there are two to the power of 150."""
    with limits_of(Limits().changed(automaton_states=5_000)):
        constraint = compile_formula(parse("/(a|b)*a(a|b){150}/ & !c"), VOCABULARY)
    constraint.upper_bound()
    assert constraint.matcher.joint is not None
    (automaton,) = constraint.matcher.joint.automata
    assert len(automaton) < 10_000
    assert constraint.matcher.read(constraint.matcher.start(), VOCABULARY.segment("a" * 151)) is not None


def test_time_is_a_limit_too() -> None:
    with time_limit(0.0):
        time.sleep(0.001)
        with pytest.raises(LimitError, match=r"longer than 0 s \(compile_seconds\)"):
            check_time()
    check_time()


def test_a_block_inside_of_another_keeps_the_earlier_end() -> None:
    with time_limit(0.0, "max_time"), time_limit(100.0):
        time.sleep(0.001)
        with pytest.raises(LimitError, match="max_time"):
            check_time()


def test_compiling_stops_when_the_time_is_up() -> None:
    with limits_of(Limits().changed(compile_seconds=0.01)), pytest.raises(LimitError):
        compile_formula(parse(" & ".join(WORDS[:300])), VOCABULARY).upper_bound()


def test_unknown_limits_are_refused() -> None:
    with pytest.raises(ValueError, match='there is no limit phrase; did you mean "phrases"'):
        Limits().changed(phrase=1)
    with pytest.raises(ValueError, match="must be a number above 0"):
        Limits(phrases=0)


def test_the_table_has_every_limit() -> None:
    assert markdown_table().count("\n") == 2 + len(vars(Limits()))
