"""Following a text while it is written: what is told is certain, and comes before the end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.errors import ContradictionError
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.generation.request import Request
from neurologic.generation.result import Result
from neurologic.search.progress import Progress
from random_cases import cases
from toys import ToyLoadedModel, random_model, toy_vocabulary

VOCABULARY = toy_vocabulary("a", "b", "c", " ", " a", " b", ".", "é", "s", "\n")
FORMULAS = [None, "a", "a & b", "!c", "b & !a", "(a | c) & b"]
SETTINGS: list[dict[str, Any]] = [
    {"num_beams": 1},
    {"num_beams": 3},
    {"num_beams": 3, "num_return_sequences": 3},
    {"num_beams": 3, "min_new_tokens": 10},
    {"num_beams": 4, "do_sample": True, "temperature": 2.0},
    {"decoder": "greedy"},
    {"decoder": "beam", "num_beams": 3},
]


def followed(lm: ConstrainedModel, request: Request, **options: Any) -> tuple[list[str], Result]:
    told: list[str] = []
    return told, lm.submit(request, on_text=told.append, **options).result(timeout=60)


def toy(seed: int) -> ConstrainedModel:
    return ConstrainedModel(ToyLoadedModel(random_model(VOCABULARY, seed)))  # type: ignore[arg-type]


@cases(60)
@given(seed=st.integers(0, 500), formula=st.sampled_from(FORMULAS), settings=st.sampled_from(SETTINGS))
def test_every_text_begins_with_what_was_told(
    seed: int, formula: str | None, settings: dict[str, Any]
) -> None:
    lm = toy(seed)
    unconstrained = settings.get("decoder") in ("greedy", "beam")
    request = Request("x", None if unconstrained else formula)
    told, result = followed(lm, request, max_new_tokens=20, **settings)
    assert result.error is None
    assert sorted(set(told), key=len) == told
    for beginning in told:
        assert all(text.text.startswith(beginning) for text in (result, *result.others))
    assert result == lm.generate(request.prompt, request.constraint, max_new_tokens=20, **settings)


def test_a_greedy_text_is_told_token_by_token() -> None:
    told, result = followed(toy(3), Request("x"), decoder="greedy", max_new_tokens=20, min_new_tokens=20)
    assert len(told) >= 10
    assert result.text.startswith(told[-1])


def test_several_drawn_texts_share_no_beginning() -> None:
    options: dict[str, Any] = {"num_beams": 2, "do_sample": True, "num_return_sequences": 3}
    told, result = followed(toy(3), Request("x", "a"), max_new_tokens=12, **options)
    assert told == []
    assert result.others


def test_a_prepared_request_runs_when_it_is_submitted() -> None:
    lm = toy(3)
    told: list[str] = []
    ticket = lm.prepare(Request("x", "a & b"), on_text=told.append, max_new_tokens=12, num_beams=2)
    assert (ticket.prompt_length, told) == (1, [])
    assert lm.submit(ticket).result(timeout=60) == lm.generate("x", "a & b", max_new_tokens=12, num_beams=2)


def test_a_request_that_cannot_be_prepared_keeps_its_error() -> None:
    lm = toy(3)
    ticket = lm.prepare(Request("x", "a & !a"), on_text=print)
    assert isinstance(ticket.error, ContradictionError)
    assert lm.submit(ticket).result(timeout=60).error is ticket.error


def test_a_caller_who_fails_harms_no_other_request() -> None:
    lm = toy(3)

    def fail(_: str) -> None:
        raise RuntimeError("the caller has gone")

    options: dict[str, Any] = {"decoder": "greedy", "max_new_tokens": 12}
    futures = [lm.submit(Request("x"), on_text=tell, **options) for tell in (fail, None)]
    failed, other = (future.result(timeout=60) for future in futures)
    assert "the caller has gone" in str(failed.error)
    assert other == lm.generate("x", **options)


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ([b" A", b" A d", b" A dog ", b" A dog barks"], ["A", "A d", "A dog", "A dog barks"]),
        ([b"caf", "café".encode()[:-1], "café".encode()], ["caf", "café"]),
        ([b"ab", b"a", b"ab", b"abc"], ["ab", "abc"]),
        ([b"a\xff", b"a\xff\xfe"], ["a"]),
    ],
)
def test_whole_characters_are_told_once(steps: list[bytes], told: list[str]) -> None:
    heard: list[str] = []
    progress = Progress(heard.append, strip=True)
    for step in steps:
        progress.update(step)
    assert heard == told


def test_the_log_likelihoods_of_the_tokens_add_up() -> None:
    result = toy(3).generate("x", "a & b", num_beams=3, max_new_tokens=12)
    assert len(result.logprobs) == len(result.tokens)
    assert sum(result.logprobs) == pytest.approx(result.logprob)
    assert result.prompt_tokens == 1


def test_records_come_while_the_text_is_written_and_are_those_of_a_trace() -> None:
    lm = toy(5)
    told: list[dict[str, Any]] = []
    request = Request("x", "a & b")
    result = lm.submit(request, on_record=told.append, max_new_tokens=12, num_beams=3).result(timeout=60)
    traced = lm.generate("x", "a & b", max_new_tokens=12, num_beams=3, trace=True)
    assert tuple(told) == result.trace == traced.trace
    assert ["step" in record for record in told] == [True] * (len(told) - 1) + [False]
