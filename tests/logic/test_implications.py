"""Contradictions that predicates bring about: those that are found, and that all of them are real."""

import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic.strategies import formulas, predicates
from neurologic.errors import ContradictionError
from neurologic.logic import Literal, Phrase, all_of, find_contradiction, holds, is_true, parse, to_clauses
from neurologic.logic.implications import implications
from neurologic.logic.length_implications import Reaches
from neurologic.logic.units import length
from random_cases import cases


@pytest.mark.parametrize(
    "formula",
    [
        "words(..5) & words(10..)",
        "words(1..3) & !words(..5)",
        "(words(..5) | a) & words(10..) & !a",
        "order(a, b) & !b",
        'order("ice cream", x) & !ice',
        "near(3, a | b, c) & none(a, b)",
        "starts(a) & starts(b)",
        "starts(car) & starts(carpet)",
        "ends(a) & ends(b)",
        'cream[unless="ice cream"] & !cream',
        "every(sentence, a) & !a & sentences(1..)",
        "every(sentence, a) & !a & words(3..)",
        "every(sentence, words(..5)) & some(sentence, words(10..))",
        "first(sentence, starts(a)) & first(sentence, starts(b))",
        "first(sentence, starts(a)) & no(sentence, a)",
        "no(sentence, a) & a",
        "nth(-5, line, x) & lines(..4)",
        "count(3.., sentence, x) & sentences(..2)",
        "some(word, words(2..))",
        "some(sentence, words(10..)) & words(..5)",
        "every(sentence, words(..5)) & sentences(2) & words(20..)",
        "every(line, words(4..)) & lines(3..) & words(..11)",
        'characters(..5) & "long phrase"',
        "order(abc, def) & characters(..5)",
        "words(5..) & characters(..8)",
        "sentences(2) & lines(3..)",
        "paragraphs(2) & lines(1)",
        "sentences(0) & dog",
    ],
)
def test_contradictions_before_the_model_runs(formula):
    found = find_contradiction(to_clauses(parse(formula)))
    assert found is not None
    assert found.message.startswith("no text can satisfy the formula")
    assert set(found.clauses) <= {clause.text for clause in to_clauses(parse(formula))}


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("words(5..) & characters(..9)", "a b c d e"),
        ("starts(Dear) & starts(\"Dear Ann\")", "Dear Ann"),
        ("every(sentence, a) & !a", ""),
        ("no(sentence, \"a. b\") & \"a. b\"", "a. b"),
        ("characters(..6) & strasse", "straße"),
        ("first(word, a) & first(word, b)", "a-b"),
        ("some(word, 3) & !3", "3.5"),
        ("sentences(1) & words(0)", "..."),
        ("every(sentence, words(..5)) & sentences(2) & words(10..)", "a b c d e. f g h i j."),
        ("every(line, words(2..)) & lines(2..) & words(..4)", "a b\nc d"),
        ('no(sentence, cream) | cream[unless="ice cream"]', "cream"),
    ],
)  # fmt: skip
def test_what_a_text_can_satisfy_is_no_contradiction(formula, text):
    assert holds(parse(formula), text)
    assert find_contradiction(to_clauses(parse(formula))) is None


SHORT_TEXTS = ["".join(text) for size in range(6) for text in product("ab .\n", repeat=size)]
WORDS = st.sampled_from(
    [Phrase("a"), Phrase("b"), Phrase("a b"), Phrase("a", match="substring"), Phrase("a.")]
)
EXPRESSIONS = st.sampled_from(["a", "b$"])
atoms = st.one_of(WORDS, st.just(Phrase("a", times=2)), predicates(WORDS, EXPRESSIONS, most=3))


literals = st.one_of(atoms, atoms.map(lambda atom: ~atom), formulas(atoms, max_leaves=3))


@cases(150)
@given(st.lists(literals, min_size=2, max_size=5))
def test_a_contradiction_has_no_text(parts):
    formula = all_of(*parts)
    try:
        contradiction = find_contradiction(to_clauses(formula))
    except ContradictionError as error:
        contradiction = error
    if contradiction is not None:
        culprits = parse(" & ".join(f"({clause})" for clause in contradiction.clauses))
        assert not any(holds(culprits, text) for text in SHORT_TEXTS)


@cases(60)
@given(
    st.lists(atoms, min_size=1, max_size=4), st.lists(st.text("ab .\n", max_size=7), min_size=20, max_size=20)
)
def test_implications_hold_of_every_text(listed, texts):
    axioms = implications([Literal(atom) for atom in listed], lambda part: False)
    for text in texts:
        for axiom in axioms:
            assert any(value(literal.atom, text) == literal.positive for literal in axiom), (text, axiom)


def value(atom, text):
    if isinstance(atom, Reaches):
        return length(atom.measure, text) >= atom.number
    return is_true(atom, text)


def test_many_quantifiers_take_little_time():
    start = time.perf_counter()
    many = " & ".join(f"some(sentence, words({n}..{n + 2}) & every(word, x{n} | y))" for n in range(60))
    find_contradiction(to_clauses(parse(many)))
    assert time.perf_counter() - start < 2
