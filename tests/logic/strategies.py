"""Random formulas for the property tests of `neurologic.logic`."""

from collections.abc import Iterable, Iterator
from itertools import product

from hypothesis import strategies as st

from neurologic.logic import (
    Phrase,
    Predicate,
    all_of,
    any_of,
    at_least,
    at_most,
    count,
    ends,
    every,
    exactly,
    iff,
    implies,
    near,
    no,
    none_of,
    nth,
    order,
    some,
    starts,
)
from neurologic.logic.formula import Formula
from neurologic.logic.predicates import Length, Range, Regex

LETTERS = tuple(Phrase(letter) for letter in "abcde")


def formulas(atoms: st.SearchStrategy[Formula], max_leaves: int = 12) -> st.SearchStrategy[Formula]:
    """Formulas of every kind over the given atoms."""
    return st.recursive(atoms, _larger, max_leaves=max_leaves)


def _larger(smaller: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    several = st.lists(smaller, min_size=1, max_size=4)
    return st.one_of(
        smaller.map(lambda part: ~part),
        st.lists(smaller, max_size=3).map(lambda parts: all_of(*parts)),
        several.map(lambda parts: any_of(*parts)),
        several.map(lambda parts: none_of(*parts)),
        st.tuples(smaller, smaller).map(lambda sides: implies(*sides)),
        st.tuples(smaller, smaller).map(lambda sides: iff(*sides)),
        st.tuples(several, st.integers(0, 4), st.sampled_from([at_least, at_most, exactly])).map(_count),
    )


def _count(drawn: tuple) -> Formula:
    parts, n, make = drawn
    different = len({part.key if isinstance(part, (Phrase, Predicate)) else part for part in parts})
    return make(min(n, different), *parts)


def assignments(phrases: Iterable[Phrase]) -> Iterator[dict]:
    """Every way in which the phrases may occur or not, by phrase key."""
    keys = list(dict.fromkeys(phrase.key for phrase in phrases))
    for values in product((False, True), repeat=len(keys)):
        yield dict(zip(keys, values, strict=True))


UNIT_NAMES = ("word", "sentence", "line", "paragraph")
MEASURE_NAMES = ("character", *UNIT_NAMES)


def ranges(most: int = 4) -> st.SearchStrategy[Range]:
    """Small ranges of every form."""
    bounded = st.tuples(st.integers(0, most), st.integers(0, most)).map(lambda pair: Range(*sorted(pair)))
    return st.one_of(bounded, st.integers(0, most).map(Range))


def predicates(
    words: st.SearchStrategy[Phrase], expressions: st.SearchStrategy[str], most: int = 4
) -> st.SearchStrategy[Formula]:
    """Predicates of every kind over phrases and expressions; quantifiers are nested up to twice."""
    part = st.one_of(words, st.lists(words, min_size=2, max_size=2).map(lambda pair: any_of(*pair)))
    plain = st.one_of(
        st.lists(part, min_size=2, max_size=3).map(lambda parts: order(*parts)),
        st.builds(near, st.integers(0, 2), part, part),
        part.map(starts),
        part.map(ends),
        st.builds(Length, st.sampled_from(MEASURE_NAMES), ranges(most)),
        st.builds(Regex, expressions, st.booleans(), st.booleans()),
    )
    return st.one_of(
        plain, _quantified(st.one_of(words, plain)), _quantified(_quantified(st.one_of(words, plain)))
    )


def _quantified(atoms: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    inner = formulas(atoms, max_leaves=3)
    unit = st.sampled_from(UNIT_NAMES)
    return st.one_of(
        st.builds(lambda make, unit, part: make(unit, part), st.sampled_from([every, some, no]), unit, inner),
        st.builds(nth, st.sampled_from([1, 2, -1, -2]), unit, inner),
        st.builds(count, ranges(2), unit, inner),
    )
