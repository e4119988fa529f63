"""What each kind of decoder can be asked for, and what is left of a formula that asks for more."""

from __future__ import annotations

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from formulas import small_formulas
from neurologic.errors import ContradictionError
from neurologic.logic import Clause, Formula, parse, to_clauses
from neurologic.logic.expressivity import Expressivity, reduce_clauses

NOTHING, PHRASES, POSITIVE_SETS, ANYTHING = Expressivity


def covered(formula: str) -> list[Expressivity]:
    """The kinds of decoder that can obey a formula."""
    clauses = to_clauses(parse(formula))
    return [kind for kind in Expressivity if all(kind.covers(clause) for clause in clauses)]


@pytest.mark.parametrize(
    ("formula", "kinds"),
    [
        ("dog & cat", [PHRASES, POSITIVE_SETS, ANYTHING]),
        ('"ice cream"', [PHRASES, POSITIVE_SETS, ANYTHING]),
        ("(dog | wolf) & cat", [POSITIVE_SETS, ANYTHING]),
        ("inflect(dog)", [POSITIVE_SETS, ANYTHING]),
        ("!dog", [ANYTHING]),
        ("dog & (wolf | !cat)", [ANYTHING]),
        ("at_least(2, dog, wolf, cat)", [ANYTHING]),
        ("exactly(1, dog, wolf)", [ANYTHING]),
        ("dog[times=2]", [ANYTHING]),
    ],
)
def test_the_kinds_of_table_1(formula: str, kinds: list[Expressivity]) -> None:
    assert covered(formula) == kinds


def clauses_of(formula: Formula) -> tuple[Clause, ...]:
    """The clauses of a random formula, if any text at all can satisfy it."""
    try:
        return to_clauses(formula)
    except ContradictionError:
        reject()


@given(small_formulas())
def test_each_kind_covers_what_the_ones_before_it_cover(formula: Formula) -> None:
    for clause in clauses_of(formula):
        verdicts = [kind.covers(clause) for kind in Expressivity]
        assert verdicts == sorted(verdicts)


@pytest.mark.parametrize(
    ("formula", "kind", "left", "label"),
    [
        ("dog & cat", PHRASES, ["dog", "cat"], ""),
        ("dog & !cat", PHRASES, ["dog"], "negatives left out"),
        ("inflect(dog) & cat", PHRASES, ["dog", "cat"], "sets → base form"),
        ("(park | beach) & !cat", PHRASES, ["park"], "sets → base form, negatives left out"),
        ("(park | beach) & !cat", POSITIVE_SETS, ["park | beach"], "negatives left out"),
        ("!cat | dog | wolf", POSITIVE_SETS, ["dog | wolf"], "negatives left out"),
        ("at_least(2, red, green, blue)", POSITIVE_SETS, ["red", "green"], "sets → base form"),
        ("dog & (!cat | wolf)", PHRASES, ["dog", "wolf"], "negatives left out"),
        ("at_least(2, red, green, blue)", PHRASES, ["red", "green"], "sets → base form"),
        ("!dog & !cat", PHRASES, [], "negatives left out"),
        ("dog & (dog | !cat | wolf)", PHRASES, ["dog"], ""),
        ("dog[times=2] & cat", PHRASES, ["dog", "cat"], "counts → once"),
        ("cat | dog[times=2]", PHRASES, ["cat"], "sets → base form"),
        ("dog[times=2] | cat", POSITIVE_SETS, ["dog | cat"], "counts → once"),
        ("dog & !cat", NOTHING, [], "constraints left out"),
        ("dog & !cat", ANYTHING, ["dog", "!cat"], ""),
    ],
)
def test_what_is_left_and_by_which_rule(
    formula: str, kind: Expressivity, left: list[str], label: str
) -> None:
    reduction = reduce_clauses(to_clauses(parse(formula)), kind)
    assert [clause.text for clause in reduction.clauses] == left
    assert reduction.label == label


@given(small_formulas(), st.sampled_from(Expressivity))
def test_what_is_left_can_be_expressed_and_is_labelled_if_it_changed(
    formula: Formula, kind: Expressivity
) -> None:
    clauses = clauses_of(formula)
    reduction = reduce_clauses(clauses, kind)
    assert all(kind.covers(clause) for clause in reduction.clauses)
    assert bool(reduction.label) == (list(reduction.clauses) != list(clauses))


def test_no_phrase_is_asked_for_twice() -> None:
    reduction = reduce_clauses(to_clauses(parse("(dog | cat) & (dog | wolf)")), PHRASES)
    assert [clause.text for clause in reduction.clauses] == ["dog"]


def test_predicates_are_beyond_phrases_and_left_out():
    clauses = to_clauses(parse('dog & (cat | words(..9)) & starts(a) & cream[unless="ice cream"]'))
    covered = [Expressivity.POSITIVE_SETS.covers(clause) for clause in clauses]
    assert covered == [True, False, False, False]
    assert all(Expressivity.ANYTHING.covers(clause) for clause in clauses)
    reduction = reduce_clauses(clauses, Expressivity.POSITIVE_SETS)
    assert [clause.text for clause in reduction.clauses] == ["dog", "cat", "cream"]
    assert reduction.label == "predicates left out, exceptions left out"
