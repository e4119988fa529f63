"""All marks together: the texts of the field, robustness and cost."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.logic import all_of, none_of, parse, to_clauses
from neurologic.marks import MARKS, Mark, find_marks

# Characters that matter to some detector, beside any others.
texts = st.text(st.sampled_from("aAbB .,!?:;\n-'\"[]<|>1…“”ß猫")) | st.text()
FORMULAS = ("a & b & Ab", "inflect(run) & !a", "at_least(2, a, b, c) & (a -> b)", "a[match=substring] & ß")
CLAUSES = [to_clauses(parse(formula)) for formula in FORMULAS]


def kinds(text: str, *required: str, prompt: str = "", truncated: bool | None = None) -> list[str]:
    clauses = to_clauses(all_of(*required)) if required else ()
    return [mark.kind for mark in find_marks(text, clauses, prompt=prompt, truncated=truncated)]


@pytest.mark.parametrize(
    ("text", "required", "prompt", "expected"),
    [
        ("It is a work of art, a work of art, a work of art", (), "", ["repetition", "cut off"]),
        (
            "You can save money each month with BrightBudget: How can I save money each month with "
            "BrightBudget: How can I",
            ("BrightBudget",),
            "How can I save money each month with BrightBudget?",
            ["echo", "repetition", "cut off"],
        ),
        (
            "Merino, washable, Ireland and soft. I am delighted to craft a bespoke wool blanket for you.",
            ("merino", "washable", "Ireland", "soft"),
            "",
            ["list"],
        ),
        (
            "Lighthouse, piano, storm, letter, and apple:",
            ("lighthouse", "piano", "storm", "letter", "apple"),
            "",
            ["list", "cut off"],
        ),
        (
            "Discover the essence of your dishwasher spill-proof lid ceramic.",
            ("ceramic", "spill-proof", "dishwasher", "lid"),
            "",
            ["clump"],
        ),
    ],
)
def test_bad_texts_have_marks(text, required, prompt, expected):
    assert kinds(text, *required, prompt=prompt) == expected


@pytest.mark.parametrize(
    ("text", "required", "prompt"),
    [
        (
            "To save money each month, you can set a daily budget and track your expenses using a budgeting "
            "app like BrightBudget, which allows you to track your spending and set savings goals.",
            ("BrightBudget", "track", "goals", "daily"),
            "How can I save money each month with BrightBudget?",
        ),
        (
            "A train that was scheduled to arrive at platform 7 in Geneva, Switzerland, was delayed by 12 "
            "minutes due to a technical issue with the train's timing system.",
            ("train", "Geneva", "12 minutes", "platform 7"),
            "Write a sentence from these facts: train, Geneva, platform 7, delay of 12 minutes.",
        ),
    ],
)
def test_good_texts_have_none(text, required, prompt):
    assert kinds(text, *required, prompt=prompt) == []


def test_marks_come_in_the_order_of_the_kinds():
    names = [kind.name for kind in MARKS]
    assert names == ["list", "clump", "echo", "repetition", "cut off", "talk about the task", "wrong case"]
    found = kinds("sure! red, green and blue and", "red", "green", "blue")
    assert found == ["list", "cut off", "talk about the task", "wrong case"]


def test_a_mark_is_one_short_line():
    assert str(Mark("cut off")) == "cut off"
    assert str(Mark("list", "red,\n green")) == 'list ("red, green")'
    assert str(Mark("echo", "word " * 40)) == f'echo ("{"word " * 11}word…")'


@given(texts, st.sampled_from(CLAUSES), texts, st.sampled_from([None, True, False]))
def test_no_text_breaks_a_detector(text, clauses, prompt, truncated):
    for mark in find_marks(text, clauses, prompt=prompt, truncated=truncated):
        assert mark.excerpt in text
        assert mark.excerpt or mark.kind == "cut off"


@given(st.lists(st.sampled_from(["a", "b", "and", ",", ".", "\n", "A", "Ab"]), max_size=60), texts)
def test_no_sequence_of_words_breaks_a_detector(words, prompt):
    text = " ".join(words)
    for mark in find_marks(text, CLAUSES[0], prompt=prompt + text):
        assert mark.excerpt in text


@pytest.mark.parametrize(
    "unit", ["a ", "a b ", "the dog ran. ", "(", '"', "word 'x', ", "here is a ", ".\n", "A"]
)
def test_long_texts_take_linear_time(unit):
    text = unit * (30_000 // len(unit))
    began = time.perf_counter()
    find_marks(text, to_clauses(parse("a & b & dog")), prompt=text[:2000])
    assert time.perf_counter() - began < 10  # a quadratic detector takes a minute


def test_thousands_of_forbidden_phrases_are_not_looked_up():
    clauses = to_clauses(none_of(*(f"word{number}" for number in range(5000))) & "dog" & "cat")
    text = "The dog met the cat by the sea. " * 3
    began = time.perf_counter()
    for _ in range(20):
        find_marks(text, clauses)
    with_bans = time.perf_counter() - began
    assert with_bans < 20 * 0.02  # looking each of them up takes 50 ms
