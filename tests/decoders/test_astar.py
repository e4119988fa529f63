"""NeuroLogic A*esque: of two candidates, the one that is about to say what it owes."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from decoders.cases import Case, expressed
from formulas import small_formulas
from neurologic.decoders.astar import AStarDecoder
from neurologic.decoders.registry import DECODERS
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import Formula, parse
from neurologic.models.base import EncodedPrompt
from neurologic.models.cached_rows import CachedRows
from neurologic.models.causal import CausalModel
from neurologic.models.causal_tree import TreeRows
from neurologic.models.encoder_decoder import EncoderDecoderModel
from neurologic.search.engine import search
from neurologic.search.input_output import SearchInput
from neurologic.search.settings import SearchSettings
from random_cases import cases
from tiny.families import CAUSAL, ENCODER_DECODER, SIZE, make
from toys import END, random_model, toy_vocabulary, word_model

NEUROLOGIC, ASTAR = Case(DECODERS["neurologic"]), Case(DECODERS["astar"])
VOCABULARY = toy_vocabulary("a", "b", "c", " ", " a", " b", "ab", ".", "s", " c", ",")
KINDS = ["greedy", "beam", "sample"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_look_ahead_takes_the_way_that_leads_to_the_required_word(kind: str) -> None:
    """ "The" is likelier than "an", but only "an" leads to "tree"; with one beam this is decided at once."""
    model = word_model(
        {
            "": {"the": 0.5, "an": 0.4},
            "the": {"dog": 0.9, "cat": 0.09},
            "dog": {".": 0.9, "cat": 0.09},
            "cat": {".": 0.9, "dog": 0.09},
            "an": {"apple": 0.95},
            "apple": {"tree": 0.9},
            "tree": {".": 0.95},
            ".": {"</s>": 0.9, "the": 0.06, "dog": 0.03},
        }
    )
    knobs = {"num_beams": 1, "alpha": 2, "max_new_tokens": 8, "prompts": [(END,)]}
    without = NEUROLOGIC.write(model, "tree", **knobs).texts[0]
    assert without.text.startswith(b" the dog.")
    assert without.satisfied == 1  # late, and at a price
    ahead = ASTAR.write(model, "tree", look_ahead_kind=kind, look_ahead_width=2, **knobs).texts[0]
    assert ahead.text == b" an apple tree."
    assert ahead.forced == 0
    assert ahead.logprob > without.logprob


@cases(25)
@given(
    formula=small_formulas(),
    seed=st.integers(0, 10_000),
    limit=st.integers(1, 9),
    num_beams=st.integers(1, 4),
    kind=st.sampled_from(KINDS),
)
def test_without_weight_the_texts_are_neurologics(
    formula: Formula, seed: int, limit: int, num_beams: int, kind: str
) -> None:
    constraint = expressed(formula, VOCABULARY, ASTAR.decoder.expresses)
    assume(constraint is not None)
    model = random_model(VOCABULARY, seed)
    knobs = {"num_beams": num_beams, "num_return_sequences": num_beams, "max_new_tokens": limit}
    (expected,) = NEUROLOGIC.run(model, [constraint], **knobs)  # type: ignore[list-item]
    (output,) = ASTAR.run(model, [constraint], look_ahead_weight=0.0, look_ahead_kind=kind, **knobs)  # type: ignore[list-item]
    assert output.texts == expected.texts


@cases(25)
@given(
    formula=small_formulas(),
    seed=st.integers(0, 10_000),
    limit=st.integers(1, 9),
    kind=st.sampled_from(KINDS),
    look_ahead=st.integers(1, 4),
)
def test_the_texts_are_the_same_where_roll_outs_cannot_be_used_again(
    formula: Formula, seed: int, limit: int, kind: str, look_ahead: int
) -> None:
    constraint = expressed(formula, VOCABULARY, ASTAR.decoder.expresses)
    assume(constraint is not None)
    outputs = []
    for can_rewind in (True, False):
        model = random_model(VOCABULARY, seed)
        model.can_rewind = can_rewind
        knobs = {"look_ahead": look_ahead, "look_ahead_kind": kind, "look_ahead_weight": 2.0, "num_beams": 3}
        outputs += ASTAR.run(model, [constraint], max_new_tokens=limit, **knobs)  # type: ignore[list-item]
        assert outputs[-1].calls == model.rows_read
    with_reuse, without = outputs
    assert with_reuse.texts == without.texts
    assert without.reused == 0


def test_greedy_roll_outs_are_used_again() -> None:
    """The first candidate of every row follows its parent's roll-out, which then needs one step only."""
    calls = {}
    for can_rewind in (True, False):
        model = random_model(VOCABULARY, 7)
        model.can_rewind = can_rewind
        output = ASTAR.write(model, '"a b" & "c c"', num_beams=4, max_new_tokens=9)
        calls[can_rewind] = output.calls
        assert (output.reused > 0) == can_rewind
    assert calls[True] < calls[False]


def test_nothing_is_rolled_out_for_a_text_that_owes_nothing() -> None:
    for formula in (None, "!a & !b"):
        outputs = [
            case.write(random_model(VOCABULARY, 3), formula, num_beams=3) for case in (NEUROLOGIC, ASTAR)
        ]
        assert outputs[0] == outputs[1]


@pytest.mark.parametrize("name", ["llama", "marian"])
def test_the_texts_of_a_model_with_a_cache_are_the_same_with_and_without_reuse(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make({**CAUSAL, **ENCODER_DECODER}[name])
    numbers = toy_vocabulary(*(f" {token}" for token in range(1, SIZE)))
    adapter = (EncoderDecoderModel if model.config.is_encoder_decoder else CausalModel)(model, numbers)
    inputs = [
        SearchInput(EncodedPrompt(prompt), compile_formula(parse(formula), numbers))
        for prompt, formula in (((9, 30, 41), "17 & 23 & !5"), ((7,), "40 | 41"), ((50, 8), '"12 13" & !40'))
    ]
    knobs = SearchSettings(num_beams=3, num_return_sequences=3, max_new_tokens=8, look_ahead=4)
    with_reuse = search(adapter, inputs, AStarDecoder(), knobs)
    for kind in (CachedRows, TreeRows):
        monkeypatch.setattr(kind, "can_rewind", False)
    without = search(adapter, inputs, AStarDecoder(), knobs)
    assert sum(output.reused for output in with_reuse) > 0
    assert sum(output.reused for output in without) == 0
    for one, other in zip(with_reuse, without, strict=True):
        assert [text.tokens for text in one.texts] == [text.tokens for text in other.texts]
