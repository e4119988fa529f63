"""The language of predicates: formula text, Python, JSON, limits, and errors with their place."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurologic as nl
from logic.strategies import formulas, predicates
from logic.test_parser import phrases
from neurologic.errors import FormulaError
from neurologic.logic import FormulaSyntaxError, Inflect, Phrase, from_json, parse, to_json
from neurologic.logic.predicates import Range
from random_cases import cases

placed = st.one_of(
    phrases.filter(lambda made: isinstance(made, Inflect) or made.match != "tokens"),
    st.just(Phrase("cream", unless="ice cream")),
)
expressions = st.sampled_from([r"\d{2}/\d", r"a\/b", "[^/]+", "a\nb", r"\\n", "é?", "(a|b)*c"])
atoms = st.one_of(placed, predicates(placed, expressions, most=10_000))


@cases(300)
@given(formulas(atoms))
def test_printing_and_parsing_gives_the_same_formula(formula):
    assert parse(str(formula)) == formula


@cases(300)
@given(st.one_of(formulas(atoms), atoms.map(lambda atom: atom & nl.prefer("x", 0.25))))
def test_writing_and_reading_json_gives_the_same_formula(formula):
    assert from_json(json.loads(json.dumps(to_json(formula)))) == formula


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("order(a, b | c)", nl.order("a", nl.any_of("b", "c"))),
        ("NEAR (5, a, b)", nl.near(5, "a", "b")),
        ('starts("Dear Ann") & ends(bye)', nl.starts("Dear Ann") & nl.ends("bye")),
        ("words(12)", nl.words(12)),
        ("words( 10..20 )", nl.words(10, 20)),
        ("characters(..280)", nl.characters(None, 280)),
        ("sentences(2..)", nl.sentences("2..")),
        ("lines(0..3)", nl.lines((0, 3))),
        ("paragraphs(2)", nl.paragraphs(Range(2, 2))),
        (r"/a\/b/ & fully(/x+/i)", nl.regex("a/b") & nl.fully("x+", ignore_case=True)),
        ("every(line, a) & some(word, b) & no(word, c)",
         nl.every("line", "a") & nl.some("word", "b") & nl.no("word", "c")),
        ("first(word, a) & last(word, b) & nth(-2, word, c)",
         nl.first("word", "a") & nl.last("word", "b") & nl.nth(-2, "word", "c")),
        ("count(2.., sentence, a)", nl.count("2..", "sentence", "a")),
        ("a & prefer(b) & prefer(c, 1.5) & prefer(d, 2)",
         nl.all_of("a", nl.prefer("b"), nl.prefer("c", 1.5), nl.prefer("d", 2))),
        ('cream[unless="ice cream"]', nl.phrase("cream", unless="ice cream")),
    ],
)  # fmt: skip
def test_text_and_python_say_the_same(text, formula):
    assert parse(text) == formula


def test_names_of_predicates_stay_words_where_no_parenthesis_follows():
    assert parse("order & no & (first | words)") == nl.all_of("order", "no", nl.any_of("first", "words"))


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("evry(sentence, a)", 5, 'there is no function evry; did you mean "every"?'),
        ("a & every(sentance, a)", 11, 'expected a unit (word, sentence, line, paragraph), as in every'),
        ("every(sentences, a)", 7, 'did you mean "sentence"?'),
        ("words(x)", 7, "expected a number or a range (12, 10..20, ..20, 2..), as in words(10..20)"),
        ("words(3, 4)", 8, "a range has two dots: 10..20"),
        ("words(20..10)", 7, "the range 20..10 is empty; write 10..20"),
        ("words(..99999)", 7, "a range needs whole numbers from 0 to 10,000"),
        ("words(3", 8, '")" for words( at line 1, column 1'),
        ("order(a)", 8, '"," and a formula, as in order(price, warranty)'),
        ("near(a, b)", 6, "expected a whole number, as in near(5, price, warranty)"),
        ("starts(a & b)", 1, "starts takes phrases, inflect(…), or these joined by |, not a & b"),
        ("starts(a[match=tokens])", 1, "starts takes phrases without times and token ids"),
        ("order(a[times=2], b)", 1, "order takes phrases without times and token ids"),
        ("nth(0, word, a)", 1, "the place of nth must be a whole number from 1 to 10,000"),
        ("nth(10000000000, word, a)", 5, "expected a smaller number"),
        ("count(..100000, word, a)", 7, "a range needs whole numbers from 0 to 10,000"),
        ("every(word, prefer(a))", 1, "join prefer(…) to the whole formula with &"),
        ("every(word, a[match=tokens])", 1, "every cannot look for token ids"),
        ("prefer(a, 0)", 1, "the weight of prefer must be from 0.001 to 1000"),
        ("fully(a)", 7, "expected an expression (/…/), as in fully(/[0-9]+/)"),
        ("/a", 1, "never closed"),
        ("and/or", 4, 'a phrase with a slash needs quotes: "and/or"'),
        ("/a/x", 4, "the only flag is i: ignore case"),
        ("/(a/", 1, "expression /(a/, character 1: this parenthesis is never closed"),
        ("3.5 & a", 1, 'as a phrase, it needs quotes: "3.5"'),
        ("cream[unless=x]", 1, 'unless needs a longer phrase that has "cream" in it'),
    ],
)  # fmt: skip
def test_errors_say_where_and_what(text, column, says):
    with pytest.raises(FormulaSyntaxError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (1, column)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ({"wrods": 3}, 'found an object with "wrods"; did you mean "words"?'),
        ({"words": "x"}, 'include[0].words: "x" is not a range'),
        ({"words": [1, 2, 3]}, "include[0].words: expected how many"),
        ({"near": [5, "a"]}, "include[0].near: expected the arguments of near(5, price, warranty) as a list"),
        ({"every": ["sentence", {"near": [1, "", "b"]}]}, "include[0].every[1].near[1]: a phrase is empty"),
        ({"prefer": "a", "wieght": 3}, 'include[0]: "wieght" is not known here; did you mean "weight"?'),
        ({"regex": "("}, "include[0]: expression /(/, character 1"),
    ],
)
def test_errors_in_json_name_the_place(item, says):
    with pytest.raises(FormulaError) as caught:
        from_json({"include": [item]})
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "every(sentence, " * 60 + "a" + ")" * 60,
        "nth(1000000000, word, a)",
        "/.{0,100000}/",
        "/((a{100}){100}){100}/",
        "/" + "(" * 1000 + "a" + ")" * 1000 + "/",
        "words(" + "9" * 10_000 + ")",
    ],
)
def test_hostile_sizes_are_refused_at_once(text):
    start = time.perf_counter()
    with pytest.raises(FormulaError):
        parse(text)
    assert time.perf_counter() - start < 1


def test_json_nested_too_deep_is_refused():
    nested = "a"
    for _ in range(400):
        nested = {"not": nested}
    with pytest.raises(FormulaError, match="nested more than 100 levels deep"):
        from_json({"include": [nested]})


@pytest.mark.parametrize(
    "wish", ["a | prefer(b)", "!prefer(b)", "a -> prefer(b)", "at_least(1, a, prefer(b))"]
)
def test_a_wish_goes_with_the_whole_formula_only(wish):
    with pytest.raises(FormulaError, match="join it to the whole formula with &"):
        nl.to_clauses(parse(wish))


def test_equal_predicates_are_one_literal():
    (clause,) = nl.to_clauses(parse("starts(Dog) & starts(dog)"))
    assert clause.text == "starts(Dog)"
    assert nl.to_clauses(parse("every(line, a) | !every(line, a)")) == ()
    assert len(nl.to_clauses(parse("some(line, a) & count(1.., line, a)"))) == 1
