"""Inputs that wait take the places of those that are done, and their texts are as if they were alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.decoders.registry import DECODERS
from neurologic.feasibility.constraint import compile_formula
from neurologic.logic import Expressivity, parse
from neurologic.models.base import EncodedPrompt
from neurologic.search.engine import search, search_each
from neurologic.search.input_output import SearchInput
from neurologic.search.settings import SearchSettings
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


@pytest.mark.parametrize(
    "name", [name for name, method in DECODERS.items() if not method.edits and name != "astar"]
)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 500), count=st.integers(1, 9), at_once=st.integers(1, 4))
def test_texts_do_not_depend_on_who_leaves_and_comes(name: str, seed: int, count: int, at_once: int) -> None:
    model = random_model(VOCABULARY, seed)
    method = DECODERS[name]
    knobs = method.settings(
        {"max_new_tokens": 14, **({"num_beams": 3} if "num_beams" in method.accepts else {})}
    )
    inputs = inputs_of(count, words_only=method.expresses is not Expressivity.ANYTHING)
    outputs = dict(search_each(model, iter(inputs), method.load(), knobs, at_once=at_once))
    assert sorted(outputs) == list(range(count))
    for number, one in enumerate(inputs):
        (alone,) = search(model, [one], method.load(), knobs)
        assert outputs[number] == alone


def test_drawn_texts_do_not_depend_on_it_either() -> None:
    model = random_model(VOCABULARY, 5)
    knobs = SearchSettings(num_beams=3, max_new_tokens=14, do_sample=True, temperature=1.5)
    inputs = [replace(one, seed=number) for number, one in enumerate(inputs_of(7))]
    outputs = dict(search_each(model, iter(inputs), NeuroLogicDecoder(), knobs, at_once=2))
    for number, one in enumerate(inputs):
        (alone,) = search(model, [one], NeuroLogicDecoder(), knobs)
        assert outputs[number] == alone


def test_time_that_the_caller_takes_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("neurologic.search.engine.time.monotonic", lambda: now[0])
    knobs = SearchSettings(num_beams=3, max_new_tokens=14, max_time=5.0)
    endings = []
    for _, output in search_each(
        random_model(VOCABULARY, 1), inputs_of(6), NeuroLogicDecoder(), knobs, at_once=3
    ):
        endings.append(output.texts[0].ending)
        now[0] += 60  # between two results
    assert len(endings) == 6
    assert "time" not in endings


def test_the_next_input_is_asked_for_when_a_place_is_free() -> None:
    asked: list[int] = []
    done: list[int] = []

    def waiting() -> Iterator[SearchInput]:
        for number, one in enumerate(inputs_of(12)):
            assert number - len(done) < 3
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
