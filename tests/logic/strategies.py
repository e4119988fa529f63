"""Random formulas for the property tests of `neurologic.logic`."""

from collections.abc import Iterable, Iterator
from itertools import product

from hypothesis import strategies as st

from neurologic.logic import Phrase, all_of, any_of, at_least, at_most, exactly, iff, implies, none_of
from neurologic.logic.formula import Formula

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
    different = len({part.key if isinstance(part, Phrase) else part for part in parts})
    return make(min(n, different), *parts)


def assignments(phrases: Iterable[Phrase]) -> Iterator[dict]:
    """Every way in which the phrases may occur or not, by phrase key."""
    keys = list(dict.fromkeys(phrase.key for phrase in phrases))
    for values in product((False, True), repeat=len(keys)):
        yield dict(zip(keys, values, strict=True))
