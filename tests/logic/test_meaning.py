"""Formulas in words."""

import pytest

import neurologic as nl


@pytest.mark.parametrize(
    ("formula", "meaning", "advice"),
    [
        ("dog", 'the text has "dog"', 'write "dog"'),
        ("!dog[times=2]", 'the text does not have "dog" 2 times or more',
         'do not write "dog" 2 times or more'),
        ("words(..20)", "the text has at most 20 words", "write at most 20 words"),
        ("!sentences(1)", "the text does not have exactly 1 sentence", "do not write exactly 1 sentence"),
        ("order(a, b | c)", 'the text has "a" and then one of "b", "c"',
         'write "a" and then one of "b", "c"'),
        ("near(1, a, b)", 'the text has "a" and "b" with at most 1 word between them',
         'write "a" and "b" with at most 1 word between them'),
        ("ends(a) | starts(b)", 'the text ends with "a", or the text begins with "b"',
         'end with "a", or begin with "b"'),
        ("/a+/i", "the text has a match of /a+/i", "write a match of /a+/i"),
        ("fully(/a+/)", "the text fully matches /a+/", "fully match /a+/"),
        ("every(sentence, words(..20))", "for every sentence of the text: the sentence has at most 20 words",
         "make it true that for every sentence of the text: the sentence has at most 20 words"),
        ("!first(word, a)", 'it is not so that for the first word of the text: the word has "a"',
         'make it true that it is not so that for the first word of the text: the word has "a"'),
        ("at_least(2, a, b, words(3))",
         'at least 2 of these: the text has "a"; the text has "b"; the text has exactly 3 words',
         'at least 2 of these: write "a"; write "b"; write exactly 3 words'),
        ('cream[unless="ice cream"]', 'the text has "cream" outside of "ice cream"',
         'write "cream" outside of "ice cream"'),
        ("count(2.., line, a -> b)", 'for 2 or more lines of the text: if the line has "a", the line has "b"',
         'make it true that for 2 or more lines of the text: if the line has "a", the line has "b"'),
        ("nth(-2, word, a)", 'for word 2 from the end of the text: the word has "a"',
         'make it true that for word 2 from the end of the text: the word has "a"'),
    ],
)  # fmt: skip
def test_clauses_in_words(formula, meaning, advice):
    (clause,) = nl.explain(formula)
    assert (clause.text, clause.meaning, clause.advice) == (formula, meaning, advice)


def test_a_statement_that_would_run_on_is_in_parentheses():
    (clause,) = nl.explain("every(paragraph, first(sentence, starts(However)) & sentences(2..))")
    assert clause.meaning == (
        "for every paragraph of the text: (for the first sentence of the paragraph: the sentence begins with "
        '"However"), and the paragraph has 2 or more sentences'
    )


def test_nothing_to_explain():
    assert nl.explain(None) == nl.explain("prefer(dog)") == ()
