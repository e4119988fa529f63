import time
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from logic.strategies import LETTERS, assignments, formulas
from neurologic.errors import ContradictionError
from neurologic.logic import (
    Explanation,
    Phrase,
    all_of,
    any_of,
    at_least,
    at_most,
    exactly,
    find_contradiction,
    none_of,
    occurs,
    parse,
    phrase,
    require_consistent,
    to_clauses,
)
from random_cases import cases


def contradiction(formula):
    try:
        return find_contradiction(to_clauses(parse(formula) if isinstance(formula, str) else formula))
    except ContradictionError as error:  # false as it stands
        return error


@pytest.mark.parametrize(
    ("formula", "clauses"),
    [
        ("x & a & !a", {"a", "!a"}),
        ("Dog & !dog & x", {"Dog", "!dog"}),
        ('"ice cream" & !ice & x', {'"ice cream"', "!ice"}),
        ("a & (a -> b) & (b -> c) & !c & (d | e)", {"a", "a -> b", "b -> c", "!c"}),
        ("(x | 'red car') & !x & !car & y", {'x | "red car"', "!x", "!car"}),
        ("(a|b) & (!a|b) & (a|!b) & (!a|!b)", {"a | b", "!a | b", "a | !b", "!a | !b"}),
        ("at_least(2, a, b, c) & at_most(1, c, b, a)", {"at_least(2, a, b, c)", "at_most(1, c, b, a)"}),
        ("inflect(dog) & !inflect(dog)", {"inflect(dog)", "!inflect(dog)"}),
        ("at_most(1, a, b, c) & a & c & x", {"at_most(1, a, b, c)", "a", "c"}),
        ("exactly(1, a, 'a b') & 'a b'", {'exactly(1, a, "a b")', '"a b"'}),
    ],
)
def test_the_clauses_that_clash_are_named(formula, clauses):
    found = contradiction(formula)
    assert set(found.clauses) == clauses
    with pytest.raises(ContradictionError) as caught:
        require_consistent(to_clauses(parse(formula)))
    assert caught.value.clauses == found.clauses


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("a & !a", "a is required and also forbidden; drop one"),
        ('"ice cream" & !ice', '"ice cream" is required, but contains ice, which is forbidden; drop one'),
        ("a[times=2] & !a", "a[times=2] is required, but contains a, which is forbidden; drop one"),
        ("exactly(1, a, 'a b') & 'a b'", '("a b" contains a)'),
        ("at_least(2, a & b, !a & c, !a & !c)", "can never hold; change or drop it"),
    ],
)
def test_the_message_says_why(formula, message):
    assert contradiction(formula).message.endswith(message)


@pytest.mark.parametrize(
    "formula",
    [
        "carpet & !car",
        "a | b",
        "ice & !'ice cream'",
        "Apple[case=exact] & !apple[case=exact]",
        "at_most(2, a, b, c) & a & b",
        "all()",
    ],
)
def test_consistent_formulas_pass(formula):
    assert contradiction(formula) is None
    require_consistent(to_clauses(parse(formula)))


@cases(800)
@given(formulas(st.sampled_from(LETTERS), max_leaves=25))
def test_small_formulas_are_decided_exactly(formula):
    """Single letters can occur in any combination, so truth tables tell what can be satisfied."""
    possible = any(formula.holds(lambda p, v=v: v[p.key]) for v in assignments(formula.phrases()))
    assert (contradiction(formula) is None) == possible


TEXTS = ["".join(letters) for length in range(5) for letters in product("aA-b ", repeat=length)]

overlapping_phrases = st.builds(
    Phrase,
    st.sampled_from(["a", "A", "ab", "a b", "b-a", "aa", "b", "-"]),
    st.sampled_from(["word", "substring"]),
    st.sampled_from(["fold", "exact"]),
)


@cases(100)
@given(formulas(overlapping_phrases, max_leaves=10))
def test_nothing_that_a_text_satisfies_is_called_contradictory(formula):
    assume(any(formula.holds(lambda p, t=text: occurs(p, t)) for text in TEXTS))
    assert contradiction(formula) is None


@cases(100)
@given(st.lists(formulas(st.sampled_from(LETTERS[:3]), max_leaves=6), min_size=4, max_size=8))
def test_every_named_clause_is_needed(parts):
    formula = all_of(*parts)
    found = contradiction(formula)
    assume(isinstance(found, Explanation))
    culprits = [clause for clause in to_clauses(formula) if clause.text in found.clauses]
    for clause in culprits:
        assert find_contradiction([other for other in culprits if other is not clause]) is None


def test_thousands_of_forbidden_phrases_are_quick():
    required = all_of(*(any_of(f"good{i}", f"fine{i}") for i in range(10)))
    clauses = to_clauses(none_of(*(f"bad{i}" for i in range(5000))) & required)
    start = time.process_time()
    assert find_contradiction(clauses) is None
    assert set(find_contradiction((*clauses, *to_clauses(phrase("so bad7")))).clauses) == {
        "!bad7",
        '"so bad7"',
    }
    assert time.process_time() - start < 5


def test_counts_of_many_phrases_are_compared_by_counting():
    words = [f"w{i}" for i in range(60)]
    assert contradiction(at_least(30, *words) & at_most(28, *words[5:], "other") & ~phrase("w5")) is None
    found = contradiction(at_least(30, *words) & exactly(29, *words, "other") & "other")
    assert len(found.clauses) == 2


def test_a_hard_problem_gives_up_in_good_time():
    """Twelve pigeons in eleven holes: contradictory, but its proof is too long to wait for."""
    pigeons = [any_of(*(f"p{i}h{j}" for j in range(11))) for i in range(12)]
    holes = [~(phrase(f"p{i}h{j}") & f"p{k}h{j}") for j in range(11) for i in range(12) for k in range(i)]
    clauses = to_clauses(all_of(*pigeons, *holes))
    start = time.process_time()
    find_contradiction(clauses)
    assert time.process_time() - start < 10
