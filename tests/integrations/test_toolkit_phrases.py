"""Subwords joined into plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.errors import FormulaError
from neurologic.integrations.toolkit_phrases import MatchOptions, joined, phrase_of


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ("Apf@@ el", "Apfel"),
        ("der ro@@ te A@@ pf@@ el .", "der rote Apfel ."),
        ("▁der ▁ro te ▁A pf el .", "der rote Apfel."),
        ("▁Apfel", "Apfel"),
        ("Apfel", "Apfel"),
        ("mail me@@home", "mail me@@home"),
        ("@@ -1,3 +1,4", "@@ -1,3 +1,4"),
        ("", ""),
    ],
)
def test_marks_of_subwords_go(pieces, text):
    assert joined(pieces) == text


words = st.lists(st.text("abßé'", min_size=1, max_size=6), min_size=1, max_size=4)


@given(words, st.integers(1, 3))
def test_joining_undoes_cutting(several, width):
    """Whatever the pieces, both ways of marking them lead back to the text."""
    cut = [[word[i : i + width] for i in range(0, len(word), width)] for word in several]
    assert joined(" ".join("@@ ".join(pieces) for pieces in cut)) == " ".join(several)
    assert joined(" ".join("▁" + " ".join(pieces) for pieces in cut)) == " ".join(several)


def test_phrases_keep_their_case_unless_told_otherwise():
    assert phrase_of("S@@ ie", "c", MatchOptions()) == {"phrase": "Sie", "case": "exact"}
    assert phrase_of("Sie", "c", MatchOptions(case="fold")) == "Sie"
    assert phrase_of("Sie", "c", MatchOptions("substring", "fold")) == {"phrase": "Sie", "match": "substring"}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("Apf@@", 'here: "Apf@@" is only the beginning of a word'),
        ("", "here: a phrase is empty"),
        ("▁", "here: a phrase is empty"),
        (7, "here: expected a phrase, found int"),
        (["a", "b"], 'here: expected a phrase, found a list; for one of several, use "include"'),
    ],
)
def test_what_is_no_phrase_is_told_with_its_place(value, told):
    with pytest.raises(FormulaError) as caught:
        phrase_of(value, "here", MatchOptions())
    assert str(caught.value).startswith(told)
