"""`neurologic explain`: clauses, contradictions, and what a model pays."""

from __future__ import annotations

import pytest

import neurologic
from neurologic.feasibility.compiled_constraint import compile_formula
from toys import toy_vocabulary


class ToyModel:
    """Compiles for a vocabulary of a few pieces."""

    def compile(self, formula):
        return compile_formula(formula, toy_vocabulary(" ", " do", "g", "do", " wolf", "."))


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setattr(neurologic, "load", lambda name, **options: ToyModel())


def test_shows_clauses_with_kind_first_state_and_forms(run):
    ended = run("explain", 'inflect(catch) & (frisbee | "flying disc") & !cat & exactly(1, red, green)')
    assert ended.code == 0
    header, *rows = ended.out.splitlines()
    assert header.split() == ["clause", "kind", "at", "the", "start", "forms"]
    assert [row.split("  ")[0] for row in rows] == ["1", "2", "3", "4"]
    assert "disjunction  S1 reversibly unsatisfied  catch, " in rows[0]
    assert "caught" in rows[0]
    assert rows[1].endswith('disjunction  S1 reversibly unsatisfied  frisbee, "flying disc"')
    assert rows[2].endswith("disjunction  S3 reversibly satisfied    !cat")
    assert rows[3].endswith("compound     S1 reversibly unsatisfied  (red | green) & (!red | !green)")


def test_json_is_one_document(run):
    ended = run("explain", "dog -> cat", "--json")
    assert ended.json == {
        "formula": "dog -> cat",
        "clauses": [
            {
                "clause": "dog -> cat",
                "kind": "disjunction",
                "state": "S3",
                "becomes": "!dog | cat",
                "meaning": 'the text does not have "dog", or the text has "cat"',
                "satisfied_by": 'do not write "dog", or write "cat"',
                "literals": [
                    {"phrase": "dog", "times": 1, "positive": False},
                    {"phrase": "cat", "times": 1, "positive": True},
                ],
            }
        ],
        "contradiction": None,
    }


def test_parts_of_the_command_line_hold_together(run):
    ended = run("explain", "a | b", "--include", "c d", "--exclude", "e", "--json")
    assert ended.json["formula"] == '(a | b) & "c d" & !e'


@pytest.mark.parametrize("formula", ['"ice cream" & !ice', "at_least(2, a, b) & !a", "dog & !dog"])
def test_a_contradiction_is_explained_with_exit_code_1(run, formula):
    ended = run("explain", formula)
    assert ended.code == 1
    assert "no text can satisfy the formula" in ended.out
    assert run("explain", formula, "--json").json["contradiction"]["clauses"]


def test_a_formula_that_always_holds_has_no_clauses(run):
    ended = run("explain", "a | !a")
    assert (ended.code, ended.out) == (0, "every text satisfies this formula: it has no clauses\n")


@pytest.mark.parametrize(
    ("argv", "message"),
    [(["dog &"], "column 6"), ([], "give a formula"), (["dog", "cat"], "unknown arguments: cat")],
)
def test_bad_syntax_is_bad_input(run, argv, message):
    ended = run("explain", *argv)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_with_a_model_it_tells_the_cost(run, toy):
    ended = run("explain", "(dog | zebra) & wolf & !cat", "--model", "toy")
    assert ended.code == 0
    assert 'dog     2       " do" "g"' in ended.out
    assert "zebra   -       cannot be spelled" in ended.out
    assert "needs at least 2 tokens" in ended.out
    assert "guaranteed from --max-new-tokens 3 on" in ended.out
    cost = run("explain", "(dog | zebra) & wolf & !cat", "--model", "toy", "--json").json["cost"]
    assert (cost["lower_bound"], cost["upper_bound"]) == (2, 3)
    assert cost["phrases"] == [
        {"phrase": "dog", "tokens": 2, "pieces": [" do", "g"]},
        {"phrase": "zebra", "tokens": None, "pieces": None},
        {"phrase": "wolf", "tokens": 1, "pieces": [" wolf"]},
    ]


def test_what_the_model_cannot_spell_is_told(run, toy):
    ended = run("explain", "zebra", "--model", "toy")
    assert ended.code == 1
    assert "cannot spell zebra" in ended.out
    assert "zebra" in run("explain", "zebra", "--model", "toy", "--json").json["unspellable"]


def test_predicates_are_explained_in_words(run):
    ended = run("explain", "dog & words(10..20) & prefer(park, 2)")
    assert ended.out.splitlines()[-4:] == [
        "2. means: the text has 10 to 20 words",
        "   to satisfy it: write 10 to 20 words",
        "",
        'wish of weight 2: the text has "park"',
    ]
    document = run("explain", "words(10..20) & prefer(park, 2)", "--json").json
    assert document["clauses"][0]["literals"] == [{"predicate": "words(10..20)", "positive": True}]
    assert document["wishes"] == [{"wish": "park", "weight": 2.0, "meaning": 'the text has "park"'}]


def test_predicates_that_clash_are_a_contradiction(run):
    ended = run("explain", "words(..5) & words(10..)")
    assert ended.code == 1
    assert "these clauses cannot hold together" in ended.out
