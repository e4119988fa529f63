"""Inputs that wait take the places of those that are done, and their texts are as if they were alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.decoders.registry import DECODERS
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import Expressivity, parse
from neurologic.models.base import EncodedPrompt
from neurologic.search.decoder import Decoder
from neurologic.search.engine import Engine, search
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings
from random_cases import cases
from toys import ToyModel, random_model, toy_vocabulary

VOCABULARY = toy_vocabulary("a", "b", "c", " ", " a", " b", ".", "s")
KNOBS = SearchSettings(num_beams=3, max_new_tokens=14)


def inputs_of(count: int, *, words_only: bool = False) -> list[SearchInput]:
    formulas = ["a", "a & b", "b"] if words_only else ["a", "a & b", "!c", "b & !a", "(a | c) & b"]
    return [
        SearchInput(
            EncodedPrompt(tuple(1 + (number + place) % 7 for place in range(1 + number % 4))),
            compile_formula(parse(formulas[number % len(formulas)]), VOCABULARY),
        )
        for number in range(count)
    ]


def search_each(
    model: ToyModel, inputs: list[SearchInput], decoder: Decoder, knobs: SearchSettings, *, at_once: int
) -> dict[int, SearchOutput]:
    """Give the next input the place of one that is done."""
    engine = Engine(model, decoder)
    waiting = [(number, replace(given, settings=knobs)) for number, given in enumerate(inputs)]
    outputs: dict[int, SearchOutput] = {}
    while waiting or engine.active:
        joining = waiting[: at_once - len(engine.active)]
        if joining and engine.can_admit:
            engine.admit(joining)
            del waiting[: len(joining)]
        outputs.update(engine.step())
    return outputs


@pytest.mark.parametrize(
    "name", [name for name, entry in DECODERS.items() if not entry.edits and name != "astar"]
)
@cases(5)
@given(seed=st.integers(0, 500), count=st.integers(1, 9), at_once=st.integers(1, 4))
def test_texts_do_not_depend_on_who_leaves_and_comes(name: str, seed: int, count: int, at_once: int) -> None:
    model = random_model(VOCABULARY, seed)
    entry = DECODERS[name]
    knobs = entry.settings(
        {"max_new_tokens": 14, **({"num_beams": 3} if "num_beams" in entry.accepts else {})}
    )
    inputs = inputs_of(count, words_only=entry.expresses is not Expressivity.ANYTHING)
    outputs = search_each(model, inputs, entry.load(), knobs, at_once=at_once)
    assert sorted(outputs) == list(range(count))
    for number, one in enumerate(inputs):
        (alone,) = search(model, [one], entry.load(), knobs)
        assert outputs[number] == alone


def test_drawn_texts_do_not_depend_on_it_either() -> None:
    model = random_model(VOCABULARY, 5)
    knobs = SearchSettings(num_beams=3, max_new_tokens=14, do_sample=True, temperature=1.5)
    inputs = [replace(one, seed=number) for number, one in enumerate(inputs_of(7))]
    outputs = search_each(model, inputs, NeuroLogicDecoder(), knobs, at_once=2)
    for number, one in enumerate(inputs):
        (alone,) = search(model, [one], NeuroLogicDecoder(), knobs)
        assert outputs[number] == alone


def test_an_input_that_is_dropped_leaves_with_the_next_step() -> None:
    engine = Engine(random_model(VOCABULARY, 1), NeuroLogicDecoder())
    inputs = [(number, replace(given, settings=KNOBS)) for number, given in enumerate(inputs_of(3))]
    engine.admit(inputs)
    engine.drop([1])
    outputs = dict(engine.step())
    assert sorted(active.number for active in engine.active) == [0, 2]
    while engine.active:
        outputs.update(engine.step())
    for number in (0, 2):
        assert [outputs[number]] == search(
            random_model(VOCABULARY, 1), [inputs[number][1]], NeuroLogicDecoder(), KNOBS
        )
    assert 1 not in outputs
