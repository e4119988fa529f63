import pytest

from neurologic.errors import FormulaError
from neurologic.logic import from_json, inflect, parse, phrase, to_formula


def test_all_given_parts_hold_together():
    line = {
        "id": 7,
        "prompt": "…",
        "include": ["dog", ["run", "ran"]],
        "exclude": ["cat"],
        "formula": "a -> b",
        "clauses": [["x", {"not": "y"}]],
    }
    assert from_json(line) == parse("dog & (run | ran) & !cat & (a -> b) & (x | !y)")


def test_the_papers_lists_of_lists():
    assert from_json([["dog", "dogs"], ["catch"]]) == parse("(dog | dogs) & catch")


def test_strings_are_phrases_letter_for_letter():
    assert from_json({"include": ["a & b", "not"]}) == phrase("a & b") & "not"


def test_literals_with_options():
    include = [
        {"phrase": "C++", "case": "exact"},
        {"inflect": "run", "pos": "v"},
        {"not": {"inflect": "cat"}},
    ]
    assert from_json({"include": include}) == phrase("C++", case="exact") & inflect("run", "verb") & ~inflect(
        "cat"
    )
    assert from_json({"exclude": [{"phrase": "dog", "times": 2}]}) == ~phrase("dog", times=2)
    assert from_json({"include": [{"phrase": "450", "number": "part"}]}) == phrase("450", number="part")
    assert from_json({"include": [{"inflect": "dog", "pos": "any"}]}) == inflect("dog", "any")
    ids = {"phrase": " dog", "match": "tokens", "ids": [3, 4]}
    assert from_json({"exclude": [ids, ["a", "b"]]}) == ~phrase(" dog", match="tokens", ids=[3, 4]) & ~phrase(
        "a"
    ) & ~phrase("b")


@pytest.mark.parametrize("nothing", [{}, [], {"prompt": "x"}, {"include": [], "formula": None}])
def test_no_constraint_is_none(nothing):
    assert from_json(nothing) is None


@pytest.mark.parametrize(
    ("constraint", "says"),
    [
        ({"include": "dog"}, 'include: expected a list, found "dog"; write ["dog"]'),
        ({"include": ["a", ["b", 3]]}, "include[1][1]: expected a phrase"),
        ({"include": ["a", []]}, "include[1]: expected at least one phrase, found an empty list"),
        ({"include": [["a", ["b"]]]}, "include[0][1]: expected a phrase"),
        ({"exclude": [""]}, "exclude[0]: a phrase is empty"),
        ({"exclude": [None]}, "exclude[0]: expected a phrase"),
        ({"formula": 3}, "formula: expected formula text"),
        ({"formula": "a &"}, "formula: formula, line 1, column 4"),
        ({"clauses": [["x", {"not": {"phrase": ""}}]]}, "clauses[0][1].not: a phrase is empty"),
        (
            {"clauses": [[{"phrase": "x", "macth": "word"}]]},
            'clauses[0][0]: "macth" is not known here; did you mean "match"?',
        ),
        (
            {"include": [{"inflect": "x", "colour": "red"}]},
            'include[0]: "colour" is not known here; choose from inflect, pos, case',
        ),
        (
            {"include": [{"phrases": "x"}]},
            'include[0]: expected a phrase ("dog"), {"phrase": …}, {"inflect": …}, {"not": …}, '
            'or a predicate such as {"words": …}, found an object with "phrases"; did you mean "phrase"?',
        ),
        ({"clauses": [[{"phrase": "x", "match": "fuzzy"}]]}, "clauses[0][0]: match must be"),
        ({"clauses": [[{}]]}, "clauses[0][0]: expected a phrase"),
        ({"clauses": [[{"inflect": "run", "pos": "x"}]]}, "clauses[0][0]: 'x' is not a part of speech"),
        ([["dog"], [3]], "clauses[1][0]: expected a phrase"),
        (3, "a constraint must be"),
    ],
)
def test_errors_name_the_place(constraint, says):
    with pytest.raises(FormulaError) as caught:
        from_json(constraint)
    assert str(caught.value).startswith(says)


def test_to_formula_takes_every_form():
    formula = phrase("a") & ~phrase("b")
    assert to_formula(formula) is formula
    assert (
        to_formula("a & !b")
        == to_formula({"include": ["a"], "exclude": ["b"]})
        == to_formula([["a"], [{"not": "b"}]])
    )
    assert to_formula(None) is None
