"""Random predicates over a handful of letters, for properties against `holds`, the specification."""

from __future__ import annotations

from hypothesis import strategies as st

from neurologic.logic import Formula, Phrase, all_of, any_of, at_least, phrase
from neurologic.logic.predicates import (
    Ends,
    Length,
    Near,
    Nth,
    Order,
    Predicate,
    Range,
    Regex,
    Starts,
    UnitCount,
)

UNITS = ("word", "sentence", "line", "paragraph")
PHRASES = (
    phrase("a"),
    phrase("b"),
    phrase("a b"),
    phrase("ab"),
    phrase("a."),
    phrase("1"),
    phrase("b", match="substring"),
    phrase("ba", match="substring"),
    phrase("A", case="exact"),
    phrase("a", unless="a b"),
    phrase("b", match="substring", unless="aba"),
)
EXPRESSIONS = (
    "a", "ab?", "^a", "b$", "a.b", r"\d", "[^a]", "a{2,3}", "(ab|b)+", "a b", r"\s", "^$", "(a|ab)(b|bb)$",
    "a$|^b",
)  # fmt: skip


def ranges(most: int = 3) -> st.SearchStrategy[Range]:
    low = st.integers(0, most)
    return st.one_of(
        low.map(lambda n: Range(n, n)),
        low.map(lambda n: Range(n)),
        low.map(lambda n: Range(0, n)),
        st.tuples(low, low).map(lambda pair: Range(min(pair), max(pair))),
    )


def parts() -> st.SearchStrategy[Formula]:
    simple = st.sampled_from(PHRASES)
    return st.one_of(simple, simple, st.tuples(simple, simple).map(lambda pair: any_of(*pair)))


def plain_predicates() -> st.SearchStrategy[Predicate]:
    """Predicates without a formula inside."""
    return st.one_of(
        st.lists(parts(), min_size=2, max_size=3).map(lambda many: Order(tuple(many))),
        st.builds(Near, st.integers(0, 2), parts(), parts()),
        st.builds(Starts, parts()),
        st.builds(Ends, parts()),
        st.builds(Length, st.sampled_from(("character", *UNITS)), ranges()),
        st.builds(Regex, st.sampled_from(EXPRESSIONS), st.booleans(), st.booleans()),
    )


def predicates() -> st.SearchStrategy[Predicate]:
    """All kinds of predicates, nested a little."""
    times = st.sampled_from((*PHRASES, phrase("a", times=2), phrase("b", match="substring", times=2)))

    def quantified(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        unit = st.sampled_from(UNITS)
        many = st.lists(inner, min_size=2, max_size=3, unique_by=_identity)
        formula = st.one_of(
            inner,
            inner.map(lambda part: ~part),
            many.map(lambda parts: all_of(*parts)),
            many.map(lambda parts: any_of(*parts)),
            many.map(lambda parts: at_least(2, *parts)),
        )
        place = st.sampled_from((1, 2, 3, -1, -2))
        return st.one_of(
            st.builds(UnitCount, ranges(2), unit, formula),
            st.builds(lambda unit, part: UnitCount(Range(0, 0), unit, part, "every"), unit, formula),
            st.builds(Nth, place, unit, formula),
        )

    nested = st.recursive(st.one_of(plain_predicates(), times), quantified, max_leaves=4)
    return nested.filter(lambda formula: isinstance(formula, Predicate) or formula.unless is not None)


def _identity(formula: Formula) -> object:
    """Counts take "a" and "A" for one phrase."""
    return formula.key if isinstance(formula, (Phrase, Predicate)) else formula
