"""An input's text does not depend on its company: alone, in any batch, in any order, it is the same."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from formulas import small_formulas
from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.errors import ContradictionError, UnspellableError
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.generation.request import Request
from neurologic.logic import Formula, occurs, parse
from neurologic.models.base import EncodedPrompt
from neurologic.models.loading import LoadedModel
from neurologic.search.engine import search
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings
from random_cases import cases
from toys import ToyModel, random_model, toy_vocabulary

VOCABULARY = toy_vocabulary("a", "b", "c", " ", " a", " b", "ab", ".", "s", ",", "d", " c")
TIED = ToyModel(VOCABULARY, lambda tokens: torch.zeros(len(VOCABULARY)))
PROMPTS = st.lists(st.integers(1, len(VOCABULARY) - 1), min_size=1, max_size=3).map(tuple)

Case = tuple[tuple[int, ...], Formula | None]  # a prompt and a formula


def is_possible(formula: Formula) -> bool:
    try:
        compile_formula(formula, VOCABULARY)
    except (ContradictionError, UnspellableError):
        return False
    return True


def inputs_and_formulas() -> st.SearchStrategy[Case]:
    return st.tuples(PROMPTS, st.none() | small_formulas().filter(is_possible))


def written(model: ToyModel, batch: Sequence[Case], knobs: SearchSettings) -> list[SearchOutput]:
    """What the search finds for a batch, with every formula compiled afresh."""
    inputs = [
        SearchInput(EncodedPrompt(prompt), compile_formula(formula, VOCABULARY)) for prompt, formula in batch
    ]
    return search(model, inputs, NeuroLogicDecoder(), knobs)


def obeys(formula: Formula | None, text: bytes) -> bool:
    return formula is None or formula.holds(lambda phrase: occurs(phrase, text.decode()))


def knobs(max_new_tokens: int, **others: int) -> SearchSettings:
    return SearchSettings(num_beams=3, alpha=30, max_new_tokens=max_new_tokens, **others)


@cases(12)
@given(
    st.lists(inputs_and_formulas(), min_size=16, max_size=16),
    st.integers(2, 9),
    st.integers(0, 99),
    st.randoms(),
)
def test_an_input_gives_the_same_texts_alone_and_in_every_batch(
    batch: list[Case], tokens: int, seed: int, random_: Random
) -> None:
    model = random_model(VOCABULARY, seed)
    alone = [written(model, [case], knobs(tokens, num_return_sequences=3))[0] for case in batch]
    assert written(model, batch, knobs(tokens, num_return_sequences=3)) == alone
    order = random_.sample(range(16), 16)
    shuffled = written(model, [batch[place] for place in order], knobs(tokens, num_return_sequences=3))
    assert shuffled == [alone[place] for place in order]


@cases(12)
@given(st.lists(inputs_and_formulas(), min_size=16, max_size=16), st.integers(2, 9), st.randoms())
def test_ties_break_alike_alone_and_in_every_batch(batch: list[Case], tokens: int, random_: Random) -> None:
    alone = [written(TIED, [case], knobs(tokens))[0] for case in batch]
    order = random_.sample(range(16), 16)
    shuffled = written(TIED, [batch[place] for place in order], knobs(tokens))
    assert shuffled == [alone[place] for place in order]


@cases(40)
@given(st.lists(inputs_and_formulas(), min_size=2, max_size=16), st.integers(2, 12), st.integers(0, 99))
def test_every_text_of_a_batch_obeys_its_own_formula(batch: list[Case], tokens: int, seed: int) -> None:
    outputs = written(random_model(VOCABULARY, seed), batch, knobs(tokens))
    for (_, formula), output in zip(batch, outputs, strict=True):
        if output.promised:
            assert obeys(formula, output.texts[0].text), (formula, output.texts[0].text)


def test_sixteen_opposite_formulas_are_never_mixed_up() -> None:
    """Every word is required by two inputs and forbidden to two others of the same batch."""
    texts = [f"{sign}{word}" for word in ("a", "b", "c", '"."') for sign in ("", "!")] * 2
    batch: list[Case] = [((place % 4 + 1,), parse(text)) for place, text in enumerate(texts)]
    for seed in range(20):
        outputs = written(random_model(VOCABULARY, seed), batch, knobs(6))
        for (_, formula), output in zip(batch, outputs, strict=True):
            assert output.promised
            assert obeys(formula, output.texts[0].text), (formula, output.texts[0].text)


def test_ties_among_more_tokens_than_are_looked_at_break_alike() -> None:
    """Of 3,000 equally likely tokens only alpha are candidates: always the same ones."""
    vocabulary = toy_vocabulary(*(f" w{number}" for number in range(3000)))
    model = ToyModel(vocabulary, lambda tokens: torch.zeros(len(vocabulary)))
    formulas = [None, parse("w7 & !w8"), parse("!w0 & !w1 & !w2"), parse("w2999 | w1500")]
    inputs = [
        SearchInput(EncodedPrompt((place + 1,)), compile_formula(formulas[place % 4], vocabulary))
        for place in range(8)
    ]
    together = search(model, inputs, NeuroLogicDecoder(), knobs(5))
    for one, output in zip(inputs, together, strict=True):
        assert search(model, [one], NeuroLogicDecoder(), knobs(5)) == [output]


@cases(60)
@given(inputs_and_formulas(), st.lists(PROMPTS, max_size=4), st.integers(2, 7), st.integers(0, 99))
def test_what_a_constraint_was_used_for_before_does_not_show(
    case: Case, earlier: list[tuple[int, ...]], tokens: int, seed: int
) -> None:
    """A compiled constraint remembers plans; what it remembers must not show in later texts."""
    prompt, formula = case
    model = random_model(VOCABULARY, seed)
    constraint = compile_formula(formula, VOCABULARY)

    def texts(prompt: tuple[int, ...], budget: int) -> list[SearchOutput]:
        one = SearchInput(EncodedPrompt(prompt), constraint)
        return search(model, [one], NeuroLogicDecoder(), knobs(budget))

    for other in earlier:
        texts(other, tokens + 4)
    assert texts(prompt, tokens) == written(model, [case], knobs(tokens))


def test_what_a_matcher_has_read_before_does_not_show() -> None:
    """The search asked for plans in another order where the effects of tokens were known already."""
    formula = parse("!at_most(1, ab & b, at_most(1, a, ba[match=substring]))")
    for seed in range(15, 43):
        model = random_model(VOCABULARY, seed)
        constraint = compile_formula(formula, VOCABULARY)
        one = SearchInput(EncodedPrompt((1,)), constraint)
        search(model, [one], NeuroLogicDecoder(), knobs(7))
        again = search(model, [one], NeuroLogicDecoder(), knobs(3))
        assert again == written(model, [((1,), formula)], knobs(3)), seed


@pytest.mark.real_model
def test_the_default_model_writes_the_same_alone_and_in_a_batch(smollm2: LoadedModel) -> None:
    lm = ConstrainedModel(smollm2)
    requests = [
        Request("The best thing about summer is", "inflect(swim) & !sun", raw=True),
        Request("Write one short sentence about a park.", "inflect(dog) & (frisbee | ball)"),
        Request("My grandmother always told me that", '!"you can" & !inflect(have)', raw=True),
        Request("Once upon a time", None, raw=True),
        Request("Name a fruit.", "!apple & !banana & !orange"),
        Request("In the middle of the long and cold winter night, the old man", "bread & tea", raw=True),
    ]
    how = {"num_beams": 2, "max_new_tokens": 8}
    together = list(lm.stream(requests, ordered=True, batch_size=6, **how))
    for request, result in zip(requests, together, strict=True):
        (alone,) = lm.stream([request], **how)
        assert result.satisfied
        # Padding moves real logits by about 1e-5, which can only turn a choice between equals.
        assert alone.text == result.text or alone.score == pytest.approx(result.score, abs=1e-4)
