"""Random formulas over a handful of short phrases, for the vocabularies of `toys`.

Properties skip formulas that no text satisfies with `satisfiable`, which rejects the example, so that
hypothesis fails the test where too few examples remain.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import reject
from hypothesis import strategies as st

from neurologic.errors import ContradictionError, UnspellableError
from neurologic.feasibility.compiled_constraint import CompiledConstraint, compile_formula
from neurologic.logic import Formula, Phrase, all_of, any_of, at_least, at_most, exactly, iff, phrase
from neurologic.matching.vocabulary import Vocabulary
from toys import toy_vocabulary

SINGLE_PHRASES = (
    phrase("a"),
    phrase("b"),
    phrase("c"),
    phrase("ab"),
    phrase("a b"),
    phrase("as"),
    phrase("b", match="substring"),
    phrase("ba", match="substring"),
)
PHRASES = (*SINGLE_PHRASES, phrase("a", times=2), phrase("b", match="substring", times=3))


NUMBERS = (
    phrase("a"),
    phrase("1"),
    phrase("11"),
    phrase("1.1"),
    phrase("1."),
    phrase("1", number="part"),
    phrase("1", times=2),
    phrase(".1", match="substring"),
)
NUMBER_VOCABULARY = toy_vocabulary("a", "1", ".", " ", " a", " 1", "1.", ".1", ",")


def small_formulas(phrases: Sequence[Phrase] = PHRASES) -> st.SearchStrategy[Formula]:
    """Conjunctions, disjunctions, negations and counts, nested a little."""

    def joined(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        several = st.lists(parts, min_size=2, max_size=3, unique_by=str)
        return st.one_of(
            several.map(lambda many: all_of(*many)),
            several.map(lambda many: any_of(*many)),
            several.map(lambda many: at_most(1, *many)),
            several.map(lambda many: at_least(1, *many)),
            several.map(lambda many: exactly(1, *many)),
            parts.map(lambda part: ~part),
            st.tuples(parts, parts).map(lambda pair: iff(*pair)),
            st.tuples(parts, parts).map(lambda pair: pair[0] >> pair[1]),
        )

    return st.recursive(st.sampled_from(phrases), joined, max_leaves=5)


def satisfiable(formula: Formula, vocabulary: Vocabulary) -> CompiledConstraint:
    """Compile a drawn formula; reject one that contradicts itself or that the vocabulary cannot spell."""
    try:
        return compile_formula(formula, vocabulary)
    except (ContradictionError, UnspellableError):
        reject()
