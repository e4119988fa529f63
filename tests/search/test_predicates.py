"""Formulas with predicates: the guarantee and the true optimum, on random formulas and models."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from formulas import satisfiable, small_formulas
from neurologic.decoders.astar import AStarDecoder
from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.logic import Formula, all_of
from neurologic.logic.specification import holds
from neurologic.models.base import EncodedPrompt
from neurologic.search.engine import search
from neurologic.search.input_output import SearchInput
from neurologic.search.settings import SearchSettings
from random_cases import cases
from random_predicates import predicates
from toys import random_model, toy_vocabulary

VOCABULARY = toy_vocabulary("a", "b", "ab", "1", " ", " a", " b", ".", "\n", ",", "x", " x")


def formulas() -> st.SearchStrategy[Formula]:
    """A predicate or two, negated or not, beside a formula of phrases."""
    literal = st.one_of(predicates(), predicates().map(lambda predicate: ~predicate))
    return st.one_of(
        literal,
        st.tuples(literal, literal).map(lambda pair: all_of(*pair)),
        st.tuples(literal, small_formulas()).map(lambda pair: all_of(*pair)),
        st.tuples(literal, small_formulas()).map(lambda pair: pair[0] | pair[1]),
    )


@cases(120)
@given(
    formula=formulas(),
    seed=st.integers(0, 10_000),
    sharpness=st.sampled_from([0.5, 3.0, 10.0]),
    max_new_tokens=st.integers(1, 10),
    num_beams=st.integers(1, 3),
    alpha=st.sampled_from([1, 3, 20]),
    decoder=st.sampled_from([NeuroLogicDecoder, NeuroLogicDecoder, AStarDecoder]),
    do_sample=st.sampled_from([False, False, True]),
)
def test_the_text_satisfies_the_formula_whenever_the_plan_fits(
    formula: Formula,
    seed: int,
    sharpness: float,
    decoder: type[NeuroLogicDecoder],
    do_sample: bool,
    **knobs: int,
) -> None:
    max_new_tokens = knobs["max_new_tokens"]
    constraint = satisfiable(formula, VOCABULARY)
    bound = constraint.upper_bound()
    assume(bound is not None and bound <= max_new_tokens)
    settings = SearchSettings(do_sample=do_sample and decoder is NeuroLogicDecoder, **knobs)
    model = random_model(VOCABULARY, seed, sharpness)
    (output,) = search(model, [SearchInput(EncodedPrompt((1,)), constraint)], decoder(), settings)
    assert output.promised
    text = output.texts[0].text.decode()
    assert holds(formula, text), (str(formula), text)
    assert output.texts[0].satisfied == len(constraint.clauses)
