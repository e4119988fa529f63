import pickle
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic.strategies import formulas
from neurologic.errors import FormulaError
from neurologic.logic import FormulaSyntaxError, Phrase, all_of, inflect, parse, phrase
from random_cases import cases

texts = st.one_of(
    st.sampled_from(
        ["dog", "flying disc", "C++", "not", "At_Least", "don't", 'say "hi"', "\\", "猫", "👩‍🚀", "x\u200by"]
    ),
    st.text(min_size=1, max_size=6),
    st.text("ab-'’_ \\\"()&|!", min_size=1, max_size=6),
)


def possible(make):
    try:
        return make()
    except FormulaError:
        return None


phrases = st.one_of(
    st.builds(
        lambda text, match, case: possible(lambda: Phrase(text, match, case)),
        texts,
        st.sampled_from(["word", "substring", "tokens"]),
        st.sampled_from(["fold", "exact"]),
    ),
    st.builds(lambda text, case: possible(lambda: inflect(text, "verb", case=case)), texts, st.just("exact")),
    st.builds(
        lambda text, ids: phrase(text, match="tokens", ids=ids), st.text("a \n", max_size=2), st.just([0, 7])
    ),
).filter(lambda made: made is not None)


@cases(400)
@given(formulas(phrases))
def test_printing_a_formula_and_parsing_it_gives_the_same_formula(formula):
    assert parse(str(formula)) == formula


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("a and b or not c", "(a & b) | !c"),
        ("a && b || ~c", "(a & b) | !c"),
        ("a∧b∨¬c", "(a & b) | !c"),
        ("a AND b", "a & b"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a <-> b -> c", "a <-> (b -> c)"),
        ("a → b ↔ c", "(a -> b) <-> c"),
        ("a implies b iff c", "(a -> b) <-> c"),
        ("!a & b", "(!a) & b"),
        ("dog->cat", "dog -> cat"),
        ("all(a, b | c)", "a & (b | c)"),
        ("any(a, b)", "a | b"),
        ("none(a, b)", "!a & !b"),
        ("“a b”", '"a b"'),
        ("'a b'", '"a b"'),
        ("„a b“ & «c»", '"a b" & c'),
        (r"'it\'s'", '"it\'s"'),
        (r'"\u732b"', "猫"),
        ("inflect(run, V)", "inflect(run, verb)"),
        ("x[ case = exact , match = substring ]", "x[match=substring, case=exact]"),
    ],
)
def test_spellings_of_the_same_formula(text, same_as):
    assert parse(text) == parse(same_as)


@pytest.mark.parametrize(
    "word", ["well-being", "don't", "l’eau", "snake_case", "42", "猫", "नमस्ते", "🐶", "👩🏽‍🚀", "can·ção"]
)
def test_bare_words_of_any_script(word):
    assert parse(f"!{word}&b") == ~phrase(word) & "b"


def test_options():
    assert parse('"C++"[case=exact]') == phrase("C++", case="exact")
    assert parse("art[match=substring]") == phrase("art", match="substring")
    assert parse("!dog[times=2, case=exact]") == ~phrase("dog", case="exact", times=2)
    assert parse("450[number=part]") == phrase("450", number="part")
    assert str(phrase("450", number="part")) == "450[number=part]"
    assert parse("inflect(Apple)[case=exact]") == inflect("Apple", case="exact")
    assert parse("inflect(dog, any)") == inflect("dog", "any")
    assert str(inflect("dog", "any")) == "inflect(dog, any)"


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("", 1, 1, "found the end, expected a phrase"),
        ("a &", 1, 4, "found the end, expected a phrase"),
        ("a | & b", 1, 5, 'found "&", expected a phrase'),
        ("flying disc", 1, 8, 'needs quotes: "flying disc"'),
        ("(a | b", 1, 7, '")" for the parenthesis opened at line 1, column 1'),
        ("a )", 1, 3, "expected an operator"),
        ("a\n& (b |\n )", 3, 2, 'found ")"'),
        ("a & all", 1, 8, 'reserved word; the phrase needs quotes: "all"'),
        ("a and or b", 1, 7, 'found "or"'),
        ('a & "b', 1, 5, "never closed"),
        ("dogs' & a", 1, 5, "ends in an apostrophe"),
        (r'"\q"', 1, 2, "escape"),
        (r'"\Uffffffff"', 1, 2, "no such character"),
        (r'"\ud800"', 1, 1, "lone surrogate"),
        ("C++", 1, 2, "in quotes"),
        ('a & ""', 1, 5, "empty"),
        ("a[fuzzy=1]", 1, 3, "match, case, ids, times"),
        ("a[mach=word]", 1, 3, 'match, case, ids, times, number, unless); did you mean "match"?'),
        ("a[match=wrod]", 1, 1, """not 'wrod'; did you mean "word"?"""),
        ("begins(a)", 1, 7, 'there is no function begins; did you mean "starts"?'),
        ("word(3)", 1, 5, 'there is no function word; did you mean "words"?'),
        ("a & atleast(2, b, c)", 1, 12, 'there is no function atleast; did you mean "at_least"?'),
        ("must(a)", 1, 5, "there is no function must; the functions are all, any, none"),
        ("inflect(run, verbs)", 1, 1, """'verbs' is not a part of speech; did you mean "verb"?"""),
        ("a[case=upper]", 1, 1, "fold or exact"),
        ("1[number=loose]", 1, 1, "whole or part"),
        ("a[times=often]", 1, 9, "a whole number, as in dog[times=2]"),
        ("a[times=0]", 1, 1, "a whole number from 1 to 10,000"),
        ("a[case=fold, case=exact]", 1, 14, "twice"),
        ("(a)[case=exact]", 1, 4, "directly after a phrase"),
        ("at_least(a, b)", 1, 10, "whole number"),
        ("b & at_least(3, a, b)", 1, 5, "can never hold"),
        ("any()", 1, 1, "can never hold"),
        ("inflect(run, article)", 1, 1, "noun, verb, adjective, adverb"),
        ("inflect(ice cream)", 1, 13, "need quotes"),
        ("inflect(run)[match=word]", 1, 1, "no option but case"),
        ("(" * 5000 + "a" + ")" * 5000, 1, 101, "nested more than 100"),
        ("!" * 5000 + "a", 1, 1, "nested more than 100"),
        ("a -> " * 5000 + "a", 1, 1, "nested more than 100"),
        ("!!(" * 80 + "a&b" + ")" * 80, 1, 91, "nested more than 100"),
    ],
)
def test_syntax_errors_say_where_and_what(text, line, column, says):
    with pytest.raises(FormulaSyntaxError) as caught:
        parse(text)
    assert says in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_the_caret_stands_under_the_place():
    with pytest.raises(FormulaSyntaxError) as caught:
        parse("dog &\n  猫 flying")
    assert str(caught.value).splitlines() == [
        'formula, line 2, column 5: found "flying", expected an operator (& | -> <->) or the end',
        "    猫 flying",
        "       ^",
        'a phrase of several words needs quotes: "猫 flying"',
    ]
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_huge_formulas_are_quick():
    words = [f"word{i}" for i in range(10_000)]
    start = time.process_time()
    assert parse(" & ".join(words)) == all_of(*words)
    assert time.process_time() - start < 5


@cases(200)
@given(st.text("ab &|!()[]\"'-><,=\n\\1", max_size=20))
def test_any_text_is_a_formula_or_a_syntax_error(text):
    error = None
    try:
        formula = parse(text)
    except FormulaSyntaxError as refused:
        error = refused
    if error is None:
        assert parse(str(formula)) == formula
    else:
        lines = text.split("\n")
        assert 1 <= error.line <= len(lines)
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1
