"""Lines of Sockeye and fairseq as lines of our own."""

from __future__ import annotations

import pytest

from neurologic.errors import NeurologicError
from neurologic.integrations import fairseq, sockeye
from neurologic.integrations.toolkit_phrases import MatchOptions
from neurologic.logic import from_json

FOLD = MatchOptions(case="fold")


def test_sockeyes_line_becomes_prompt_include_and_exclude():
    line = {
        "text_id": 3,
        "text": "The boy ate the waff@@ le",
        "constraints": ["gauf@@ re"],
        "avoid": ["gosse"],
    }
    assert sockeye.to_fields(line, FOLD) == {
        "text_id": 3,
        "prompt": "The boy ate the waffle",
        "include": ["gaufre"],
        "exclude": ["gosse"],
    }


def test_sockeyes_phrases_are_case_sensitive_as_they_were_there():
    formula = from_json(
        sockeye.to_fields({"text": "How old are you?", "constraints": ["Sie"], "avoid": ["du"]})
    )
    assert str(formula) == "Sie[case=exact] & !du[case=exact]"


def test_other_fields_pass_and_a_formula_beside_them_counts():
    line = {"text": "a", "factors": ["O"], "formula": "x | y", "constraints": None, "avoid": []}
    assert sockeye.to_fields(line) == {"prompt": "a", "factors": ["O"], "formula": "x | y"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"constraints": ["a"]}, 'give "text"'),
        ({"text": ["a"]}, '"text" must be a string'),
        ({"text": " "}, '"text" is empty'),
        ({"text": "a", "constraints": "b"}, '"constraints" must be a list of phrases; write ["b"]'),
        ({"text": "a", "avoid": ["b", 1]}, "avoid[1]: expected a phrase, found int"),
        ({"text": "a", "prompt": "b"}, "leave out --format"),
        ({"text": "a", "include": ["b"]}, "leave out --format"),
    ],
)
def test_bad_lines_of_sockeye_are_told(line, told):
    with pytest.raises(NeurologicError) as caught:
        sockeye.to_fields(line)
    assert told in str(caught.value)


def test_fairseqs_columns_become_prompt_and_include():
    line = "Die maschinelle Übersetzung ist schwer zu kontrollieren.\thard\tto in@@ fluence"
    assert fairseq.to_fields(line, FOLD) == {
        "prompt": "Die maschinelle Übersetzung ist schwer zu kontrollieren.",
        "include": ["hard", "to influence"],
    }
    assert fairseq.to_fields("a\tSie") == {"prompt": "a", "include": [{"phrase": "Sie", "case": "exact"}]}


def test_a_source_without_constraints_and_empty_columns():
    assert fairseq.to_fields("Guten Tag.") == {"prompt": "Guten Tag."}
    assert fairseq.to_fields("Guten Tag.\t\thello\t ", FOLD) == {"prompt": "Guten Tag.", "include": ["hello"]}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "the line is empty"),
        ("\thard", "the source is empty"),
        ("a\thard\tin@@", "column 3: "),
    ],
)
def test_bad_lines_of_fairseq_are_told(line, told):
    with pytest.raises(NeurologicError) as caught:
        fairseq.to_fields(line)
    assert str(caught.value).startswith(told)
