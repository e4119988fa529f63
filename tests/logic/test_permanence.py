"""States in reports: what is called permanent does not change, whatever text comes after."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from logic.strategies import predicates
from neurologic.logic import Phrase, is_true
from neurologic.logic.permanence import is_permanent
from random_cases import cases

# The last word of a text counts as finished, so what comes after begins with something else.
CONTINUATIONS = [first + "".join(rest) for first in " .\n-" for rest in product("ab .\n-", repeat=3)]
WORDS = st.sampled_from(
    [Phrase("a"), Phrase("b"), Phrase("a b"), Phrase("a", unless="a b"), Phrase("b", match="substring")]
)
EXPRESSIONS = st.sampled_from(["a", "^a", "b$", "a.*b", "(ab)+"])


@cases(150)
@given(predicates(WORDS, EXPRESSIONS), st.text("ab .\n-", max_size=6))
def test_what_is_permanent_stays(predicate, text):
    value = is_true(predicate, text)
    if is_permanent(predicate, value, text):
        assert all(is_true(predicate, text + more) == value for more in CONTINUATIONS)


def test_an_example_of_each_kind():
    text = "a b."
    from neurologic.logic import parse

    permanent = ["order(a, b)", "starts(a)", "starts(b)", "words(2..)", "words(..1)", "/b/", "near(0, a, b)"]
    open_ = [
        "order(b, a)",
        'starts("a b. c")',
        "words(2)",
        "words(3..)",
        "/c/",
        "/b.$/",
        "ends(b)",
        "last(word, b)",
    ]
    for formula in permanent + open_:
        atom = parse(formula)
        assert is_permanent(atom, is_true(atom, text), text) == (formula in permanent), formula
