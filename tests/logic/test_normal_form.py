import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic.strategies import LETTERS, assignments, formulas
from neurologic.errors import ContradictionError, FormulaError
from neurologic.logic import (
    Literal,
    Threshold,
    all_of,
    any_of,
    clause_state,
    iff,
    inflect,
    none_of,
    parse,
    phrase,
    to_clauses,
)
from neurologic.logic import normal_form as normal_form_module
from random_cases import cases


def texts(formula):
    return [clause.text for clause in to_clauses(parse(formula) if isinstance(formula, str) else formula)]


def same_truth(formula):
    """Whether the clauses hold together exactly when the formula does, whatever occurs."""
    phrases = list(formula.phrases())
    try:
        clauses = to_clauses(formula)
    except ContradictionError:
        return not any(formula.holds(lambda p, v=values: v[p.key]) for values in assignments(phrases))
    for values in assignments(phrases):
        together = all(
            clause_state(clause.root, lambda p, v=values: v[p.key]).satisfied for clause in clauses
        )
        if together != formula.holds(lambda p, v=values: v[p.key]):
            return False
    return True


atoms = st.one_of(
    st.sampled_from(LETTERS), st.sampled_from([phrase("A"), inflect("sheep", "noun"), inflect("dog", "noun")])
)


@cases(800)
@given(formulas(atoms))
def test_clauses_mean_the_same_as_the_formula(formula):
    assert same_truth(formula)


@cases(200)
@given(formula=formulas(atoms))
def test_compound_clauses_mean_the_same_as_the_formula(formula):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(normal_form_module, "MAX_CLAUSES", 1)
        assert same_truth(formula)


@pytest.mark.parametrize(
    ("formula", "clauses"),
    [
        ("dog & (frisbee | 'flying disc') & !cat", ["dog", 'frisbee | "flying disc"', "!cat"]),
        ("(a & b) | c", ["a | c", "b | c"]),
        ("a -> b", ["a -> b"]),
        ("!(a & b)", ["!(a & b)"]),
        ("!(a | b)", ["!a", "!b"]),
        ("a <-> b", ["!a | b", "a | !b"]),
        ("none(a, b)", ["!a", "!b"]),
        ("inflect(run) & !inflect(cat)", ["inflect(run)", "!inflect(cat)"]),
        ("inflect(run) | sprint", ["inflect(run) | sprint"]),
        ("at_least(2, red, green, blue)", ["at_least(2, red, green, blue)"]),
        ("!at_least(2, red, green, blue)", ["!at_least(2, red, green, blue)"]),
        ("exactly(1, a, b)", ["exactly(1, a, b)"]),
        ("at_least(2, a, b)", ["a", "b"]),
        ("at_most(0, a, b)", ["!a", "!b"]),
        ("at_least(0, a)", []),
        ("all()", []),
        ("a | !a", []),
        ("a | A", ["a | A"]),
        ("Dog & dog", ["Dog"]),
        ("a & (a | b) & (b | a | c)", ["a"]),
        ("(a | b) & (b | a)", ["a | b"]),
        ("dog & inflect(dog)", ["dog"]),
    ],
)
def test_clauses_keep_the_users_words(formula, clauses):
    assert texts(formula) == clauses


def test_shapes():
    (negated,) = to_clauses(parse("!inflect(dog, noun)"))
    assert negated.root == Threshold(2, (Literal(phrase("dog"), False), Literal(phrase("dogs"), False)))
    (inflected,) = to_clauses(parse("inflect(dog, noun) | Dog | !x"))
    assert inflected.literals == (
        Literal(phrase("dog")),
        Literal(phrase("dogs")),
        Literal(phrase("x"), False),
    )
    assert str(inflected.root) == "dog | dogs | !x"
    (unit,) = to_clauses(parse("!x"))
    assert unit.root == Literal(phrase("x"), False)


def test_what_would_explode_stays_one_clause():
    pairs = any_of(*(phrase(f"a{i}") & f"b{i}" for i in range(20)))
    (clause,) = to_clauses(pairs)
    assert clause.text == str(pairs)
    assert len(clause.literals) == 40


def test_a_false_formula_is_a_contradiction():
    with pytest.raises(ContradictionError) as caught:
        to_clauses(parse("a & !all()"))
    assert caught.value.clauses == ("!all()",)


def test_nested_equivalences_are_bounded():
    chain = phrase("p0")
    for i in range(1, 12):
        chain = iff(chain, f"p{i}")
    assert to_clauses(chain)
    for i in range(12, 60):
        chain = iff(chain, f"p{i}")
    with pytest.raises(FormulaError, match="double"):
        to_clauses(chain)


def test_thousands_of_clauses_are_quick():
    start = time.process_time()
    formula = none_of(*(f"bad{i}" for i in range(5000))) & all_of(
        *(any_of("x", f"y{i}") for i in range(5000))
    )
    assert len(to_clauses(formula)) == 10_000
    assert time.process_time() - start < 5


def test_case_exact_changes_nothing_where_there_is_no_case():
    """Phrases that occur in exactly the same texts are one phrase, under the first spelling."""
    assert [clause.text for clause in to_clauses(parse("42 & 42[case=exact]"))] == ["42"]
    assert len(to_clauses(parse("a4 & a4[case=exact]"))) == 2
    with pytest.raises(FormulaError, match="counts 1 different parts"):
        parse("at_least(2, 42, 42[case=exact])")
