"""Regular expressions: the same strings as Python's `re` where both understand them, and clear refusals."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.errors import FormulaError
from neurologic.logic import character_sets
from neurologic.logic.expression_parser import read_expression
from neurologic.logic.expressions import first_match, matches
from random_cases import cases

pieces = st.sampled_from(
    ["a", "b", "K", "ß", "[ab]", "[^a-b]", ".", r"\d", r"\W", r"\s", r"\.", r"\x41", "^", "$"]
)
trees = st.recursive(
    pieces,
    lambda smaller: st.one_of(
        st.tuples(smaller, smaller).map("".join),
        st.tuples(smaller, smaller).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(smaller, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}", "*?"])).map(
            lambda pair: f"({pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=6,
)


@cases(500)
@given(trees, st.booleans(), st.text("abAkß1 .\n", max_size=5))
def test_expressions_match_what_python_matches(expression, ignore_case, text):
    python = re.compile(
        re.sub(r"(?<!\[)\^", r"\\A", expression).replace("$", r"\Z"), re.I if ignore_case else 0
    )
    tree = read_expression(expression, ignore_case=ignore_case)
    assert matches(tree, text) == (python.search(text) is not None)
    assert matches(tree, text, whole=True) == (python.fullmatch(text) is not None)


def test_named_sets_are_those_of_python():
    tests = {"d": str.isdecimal, "s": str.isspace, "w": lambda c: c.isalnum() or c == "_"}
    for letter, test in tests.items():
        assert character_sets.named(letter) == character_sets.union(
            (code, code) for code in range(0x110000) if test(chr(code))
        )


def test_case_goes_both_ways():
    letters = character_sets.without_case(character_sets.of("kσ"))
    assert all(character_sets.contains(letters, letter) for letter in "kK\u212aσΣς")
    assert not character_sets.contains(letters, "c")


def test_a_dot_matches_no_line_break_of_any_kind():
    dot = read_expression("a.b")
    assert matches(dot, "a\tb")
    assert not any(matches(dot, f"a{character}b") for character in "\n\r\v\f\x1c\x85\u2028\u2029")


def test_the_first_match_is_the_longest_at_its_place():
    assert first_match(read_expression("[ab]+"), "xabbax") == (1, 5)
    assert first_match(read_expression("y"), "xabbax") is None


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("a(?=b)", "character 2: look-ahead is not possible here"),
        ("(?<!a)b", "character 1: look-behind is not possible here"),
        (r"(a)\1", r"character 4: back-references (\1) are not possible here"),
        ("(?P<x>a)", "named groups and back-references are not possible here; write (…)"),
        ("(?i)a", "flags go behind the expression, as in /…/i"),
        (r"\bcat", r"\b is not possible here; a phrase has word boundaries by itself"),
        ("a++", "possessive repetition is not possible here"),
        ("a**", "two repetitions in a row"),
        ("*a", r"nothing stands before * to repeat; write \* for the character itself"),
        ("a{3,2}", "the repetition goes down, from 3 to 2"),
        ("[z-a]", "the range z-a goes down"),
        ("[a", "this class is never closed"),
        ("a)", "this parenthesis closes nothing"),
        (r"\q", r"the escape \q is not known"),
        ("a\\", "a backslash stands at the end"),
        (".{0,100000}", "stand for 100,000 characters, and 2,000 is the most"),
        ("a{99999999}", "the number 99999999 is too large"),
        ("(" * 60 + ")" * 60, "more than 50 parentheses inside each other"),
    ],
)
def test_what_is_not_possible_is_named(expression, says):
    with pytest.raises(FormulaError) as caught:
        read_expression(expression)
    assert says in str(caught.value)
