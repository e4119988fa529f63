import pickle

import pytest

from neurologic.errors import FormulaError
from neurologic.logic import all_of, any_of, at_least, at_most, exactly, iff, inflect, none_of, parse, phrase


def test_operators_take_strings_on_either_side():
    assert str("frisbee" | phrase("flying disc")) == 'frisbee | "flying disc"'
    assert str("a" & phrase("b") & "c") == "a & b & c"
    assert str("a" >> phrase("b")) == "a -> b"
    assert str(~(phrase("a") | "b")) == "!(a | b)"


def test_constructors_print_as_formula_text():
    assert str(none_of("a", "b")) == "!a & !b"
    assert str(at_most(1, "red", phrase("green") & "blue")) == "at_most(1, red, green & blue)"
    assert str(iff("a", inflect("run", "v"))) == "a <-> inflect(run, verb)"
    assert str(phrase("x", match="tokens", ids=[5, 6])) == "x[match=tokens, ids=5 6]"


def test_equal_formulas_are_equal_and_hashable():
    assert {phrase("a") & "b", all_of("a", "b")} == {parse("a and b")}
    assert phrase("Dog") != phrase("dog")
    assert phrase("Dog").key == phrase("dog").key
    assert phrase("Dog", case="exact").key != phrase("dog", case="exact").key


def test_the_key_is_about_occurrence_not_writing():
    assert phrase("42", case="exact").key == phrase("42").key
    assert phrase("++", match="substring").key == phrase("++").key
    assert phrase("cafe\u0301").key == phrase("café").key


def test_nothing_to_satisfy_is_true_and_nothing_to_choose_from_is_an_error():
    assert all_of().holds(lambda phrase: False)
    assert all_of("a", all_of()) == phrase("a")
    with pytest.raises(FormulaError, match="can never hold"):
        any_of()


def test_python_and_or_not_are_refused_with_a_hint():
    with pytest.raises(TypeError, match="instead of and, or, not"):
        phrase("a") and phrase("b")


def test_whitespace_in_phrases():
    assert phrase("  flying \n disc ").text == "flying disc"
    assert phrase("  art", match="substring").text == "art"


@pytest.mark.parametrize("text", ["", "  ", "\u200b", "\x00", "\ufe0f", "\ud800", "a\udfff", None, 3, b"dog"])
def test_phrases_that_no_text_can_show_are_refused(text):
    with pytest.raises(FormulaError, match="phrase"):
        phrase(text)


@pytest.mark.parametrize(
    "make",
    [
        lambda: phrase("a", match="fuzzy"),
        lambda: phrase("a", case="upper"),
        lambda: phrase("a", ids=[1]),
        lambda: phrase("a", match="tokens", ids=[]),
        lambda: phrase("a", match="tokens", ids=[-1]),
        lambda: inflect("run", "article"),
        lambda: at_least(3, "a", "b"),
        lambda: at_least(2, "red", "Red"),
        lambda: at_least(-1, "a"),
        lambda: at_least(True, "a"),
        lambda: exactly(1),
        lambda: any_of(["a", "b"]),
    ],
)
def test_malformed_formulas_are_refused(make):
    with pytest.raises(FormulaError):
        make()


def test_a_repeated_part_counts_once():
    red = at_most(1, "red", "Red")
    assert red.parts == (phrase("red"),)
    assert red.holds(lambda phrase: True)


def test_long_chains_are_flat_and_quick():
    must = phrase("w0")
    for i in range(1, 5000):
        must = must & f"w{i}"
    assert must.depth == 1
    assert len(must.parts) == 5000


def test_nesting_has_a_limit_with_a_clear_error():
    must = phrase("a")
    for _ in range(100):
        must = ~must
    with pytest.raises(FormulaError, match="nested more than 100"):
        must = ~must


def test_formulas_can_be_pickled():
    must = phrase("a") & at_least(1, "b", inflect("run"))
    assert pickle.loads(pickle.dumps(must)) == must
