"""Inputs that wait take the places of those that are done, and their texts are as if they were alone."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from neurologic.constraint import compile_formula
from neurologic.decoders.beam import BeamSearch
from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.logic import parse
from neurologic.models.base import EncodedPrompt
from neurologic.search.engine import SearchInput, search, search_each
from neurologic.search.settings import SearchSettings
from toys import ToyModel, random_model, toy_vocabulary

VOCABULARY = toy_vocabulary("a", "b", "c", " ", " a", " b", ".", "s")
KNOBS = SearchSettings(num_beams=3, max_new_tokens=14)


def inputs_of(count: int) -> list[SearchInput]:
    formulas = ["a", "a & b", "!c", "b & !a", "(a | c) & b"]
    return [
        SearchInput(
            EncodedPrompt(tuple(1 + (number + place) % 7 for place in range(1 + number % 4))),
            compile_formula(parse(formulas[number % len(formulas)]), VOCABULARY),
        )
        for number in range(count)
    ]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 500), st.integers(1, 9), st.integers(1, 4), st.booleans())
def test_texts_do_not_depend_on_who_leaves_and_comes(
    seed: int, count: int, at_once: int, constrained: bool
) -> None:
    model = random_model(VOCABULARY, seed)
    decoder = NeuroLogicDecoder() if constrained else BeamSearch()
    inputs = inputs_of(count)
    outputs = dict(search_each(model, iter(inputs), decoder, KNOBS, at_once=at_once))
    assert sorted(outputs) == list(range(count))
    for number, one in enumerate(inputs):
        (alone,) = search(model, [one], decoder, KNOBS)
        assert outputs[number] == alone


def test_the_next_input_is_asked_for_when_a_place_is_free() -> None:
    asked: list[int] = []
    done: list[int] = []

    def waiting() -> Iterator[SearchInput]:
        for number, one in enumerate(inputs_of(12)):
            assert number - len(done) < 3 + 1  # what is done may be a step behind what is asked for
            asked.append(number)
            yield one

    for number, _ in search_each(
        random_model(VOCABULARY, 1), waiting(), NeuroLogicDecoder(), KNOBS, at_once=3
    ):
        done.append(number)
    assert asked == list(range(12))
    assert sorted(done) == asked


def test_fewer_steps_than_batch_after_batch() -> None:
    steps = {}
    for refill in (True, False):
        model: ToyModel = random_model(VOCABULARY, 1)
        inputs = inputs_of(12)
        if refill:
            list(search_each(model, inputs, NeuroLogicDecoder(), KNOBS, at_once=3))
        else:
            for start in range(0, 12, 3):
                search(model, inputs[start : start + 3], NeuroLogicDecoder(), KNOBS)
        steps[refill] = model.calls
    assert steps[True] < steps[False]
