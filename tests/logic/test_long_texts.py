"""Texts of 100,000 characters are judged in linear time: each of these once took minutes or more."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.logic import check, parse, phrase
from neurologic.logic.characters import _with_marks_in_order
from neurologic.logic.expression_parser import read_expression
from neurologic.logic.expressions import first_match
from neurologic.logic.marking import marked
from neurologic.logic.normal_form import to_clauses
from neurologic.logic.specification import closest, part_spans
from neurologic.logic.units import word_spans
from random_cases import cases

TEXT = "a b " * 25_000
FORMULAS = [
    ("near(5, a, b)", True),
    ("near(5, a, zebra)", False),
    ("near(0, a, b)", True),
    ("/(a|b| )*c/", False),
    ("/a.*b.*a.*c/", False),
    ("fully(/(a|b| |ab)*/)", True),
    ("order(a, b, a, b, c)", False),
    ('a[unless="b a b"]', True),
    ("every(sentence, some(word, every(word, a)))", True),
]


@pytest.mark.parametrize(("formula", "holds"), FORMULAS)
def test_a_long_text_is_judged_and_marked(formula: str, holds: bool) -> None:
    reports = check(formula, TEXT)
    assert [report.satisfied for report in reports] == [holds]
    parts = marked(TEXT, to_clauses(parse(formula)), reports)
    assert "".join(part.text for part in parts) == TEXT


def test_the_words_between_two_distant_phrases_are_counted_once() -> None:
    text = "a " * 50_000 + "b"
    assert [report.satisfied for report in check("near(0, a, b) & !near(1, a, zebra)", text)] == [True, True]


@cases(200)
@given(
    st.sampled_from(["a", "a b", "b", "."]), st.sampled_from(["b", "b a", "c"]), st.text("abc .", max_size=14)
)
def test_the_closest_places_are_the_closest_of_all_pairs(left: str, right: str, text: str) -> None:
    lefts, rights = part_spans(phrase(left), text), part_spans(phrase(right), text)
    between = [
        len(word_spans(text[min(one[1], other[1]) : max(one[0], other[0])]))
        for one in lefts
        for other in rights
    ]
    found = closest(phrase(left), phrase(right), text)
    assert (None if found is None else found[0]) == min(between, default=None)


@cases(200)
@given(st.sampled_from(["a", "ab?", "^a", "b$", "(a|b)*c", "a.b", "", "c{2}"]), st.text("abc", max_size=12))
def test_the_first_match_is_that_of_python(expression: str, text: str) -> None:
    found, expected = first_match(read_expression(expression), text), re.search(expression, text)
    assert (None if found is None else found[0]) == (None if expected is None else expected.start())


MARKS = ["\u0301\u0323", "\u0f73\u0323", "\u0301\u0323" + "\u0316" * 3]


@pytest.mark.parametrize("marks", MARKS)
def test_a_tower_of_marks_is_put_in_order_fast(marks: str) -> None:
    text = "a" + marks * 50_000 + " dog"
    assert [report.satisfied for report in check("dog & !a", text)] == [True, True]


@cases(300)
@given(
    st.text("aße\u0301\u0323\u0344\u0340\u0f73\u0f71\u0f72\u0345\u1100\u1161\u09c7\u09be\u3099か", max_size=9)
)
def test_towers_are_composed_as_unicode_says(text: str) -> None:
    in_order = _with_marks_in_order(text, most=1)
    assert unicodedata.normalize("NFC", in_order) == unicodedata.normalize("NFC", text)
