"""The scheduler: order, refill, errors, several drawn texts, cancellation, and requests that join."""

from __future__ import annotations

import gc
import pickle
import threading
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, wait
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurologic.errors import ContradictionError, PromptError, VerificationError
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.generation.request import Request
from neurologic.generation.result import Result
from neurologic.models.base import EncodedPrompt
from neurologic.search.hypothesis import Finished
from neurologic.search.input_output import SearchOutput
from neurologic.search.trace import Trace
from random_cases import cases
from toys import ToyLoadedModel, ToyModel, random_model, toy_vocabulary

VOCABULARY = toy_vocabulary("a", "b", "c", " ", " a", " b", ".", "s")
FORMULAS = ["a", "a & b", "!c", "b & !a", "(a | c) & b"]
OPTIONS: dict[str, Any] = {"num_beams": 3, "max_new_tokens": 12}


class Toy(ToyLoadedModel):
    """A toy whose prompts have as many tokens as characters; "too long" is refused, "bang" breaks its batch.

    started  the prompts of every call of `start`
    """

    def __init__(self, model: ToyModel) -> None:
        super().__init__(model)
        self.started: list[list[int]] = []

    def start(self, prompts: Sequence[EncodedPrompt]) -> Any:
        self.started.append([len(prompt.ids) for prompt in prompts])
        if any(len(prompt.ids) == len("bang") for prompt in prompts):
            raise RuntimeError("the model broke")
        return super().start(prompts)

    def encode(self, prompt: Any, raw: bool = False, **_: Any) -> EncodedPrompt:
        if prompt == "too long":
            raise PromptError("the prompt is too long")
        return EncodedPrompt(tuple(1 + place % 3 for place in range(len(prompt))))


@pytest.fixture
def toy() -> Toy:
    return Toy(random_model(VOCABULARY, seed=3))


@pytest.fixture
def lm(toy: Toy) -> ConstrainedModel:
    return ConstrainedModel(toy)  # type: ignore[arg-type]


def requests_of(count: int) -> list[Request]:
    return [
        Request("x" * (1 + number % 3), FORMULAS[number % len(FORMULAS)], id=number)
        for number in range(count)
    ]


def ids(results: Sequence[Result]) -> list[Any]:
    return [result.request.id for result in results if result.request is not None]


# -- order and places -------------------------------------------------------------------------------


def test_results_come_as_they_are_done_or_in_the_order_of_the_requests(lm: ConstrainedModel) -> None:
    requests = requests_of(12)
    as_done = list(lm.stream(requests, batch_size=3, **OPTIONS))
    in_order = list(lm.stream(requests, batch_size=3, ordered=True, **OPTIONS))
    assert ids(in_order) == list(range(12))
    assert ids(as_done) != ids(in_order)
    assert sorted(ids(as_done)) == list(range(12))


@cases(12)
@given(seed=st.integers(0, 500), count=st.integers(1, 9), batch_size=st.integers(1, 4))
def test_texts_do_not_depend_on_the_batch(seed: int, count: int, batch_size: int) -> None:
    lm = ConstrainedModel(Toy(random_model(VOCABULARY, seed)))  # type: ignore[arg-type]
    for result in lm.stream(requests_of(count), batch_size=batch_size, **OPTIONS):
        assert result.request is not None
        assert lm.generate(result.request.prompt, result.request.constraint, **OPTIONS) == result


def test_the_longest_prompts_among_those_that_come_soon_start_first(lm: ConstrainedModel, toy: Toy) -> None:
    requests = [Request("x" * length) for length in (1, 3, 2, 5, 6, 1, 2, 2, 9)]
    list(lm.stream(requests, batch_size=2, **OPTIONS))
    assert toy.started[0] == [6, 5]


def test_requests_are_read_when_places_are_free(lm: ConstrainedModel) -> None:
    read: list[int] = []

    def endless() -> Iterator[Request]:
        number = 0
        while True:
            read.append(number)
            yield Request("x", "a", id=number)
            number += 1

    results = lm.stream(endless(), batch_size=2, **OPTIONS)
    assert next(results).satisfied
    assert len(read) <= 16


def test_free_places_are_taken_at_once() -> None:
    steps = {}
    for batch_by_batch in (True, False):
        toy = Toy(random_model(VOCABULARY, seed=1))
        lm = ConstrainedModel(toy)  # type: ignore[arg-type]
        requests = requests_of(12)
        size = 3 if batch_by_batch else 12
        parts = [requests[start : start + size] for start in range(0, 12, size)]
        for part in parts:
            list(lm.stream(part, batch_size=3, num_beams=3, max_new_tokens=40))
        steps[batch_by_batch] = toy._model.calls
    assert steps[False] < steps[True]


def test_time_that_the_caller_takes_does_not_count(
    monkeypatch: pytest.MonkeyPatch, lm: ConstrainedModel
) -> None:
    now = [0.0]
    monkeypatch.setattr("neurologic.generation.scheduler.time.monotonic", lambda: now[0])
    endings = []
    for result in lm.stream(requests_of(6), batch_size=3, max_time=5.0, **OPTIONS):
        endings.append(result.ending)
        now[0] += 60
    assert len(endings) == 6
    assert "time" not in endings


# -- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("places", [[0], [3], [0, 1], [1, 2, 3], [0, 1, 2, 3]])
def test_a_request_that_cannot_be_run_is_an_error_and_the_others_go_on(
    lm: ConstrainedModel, places: list[int]
) -> None:
    requests = [Request("too long" if place in places else "x", "a") for place in range(4)]
    results = list(lm.stream(requests, ordered=True, on_error="return", batch_size=2, **OPTIONS))
    assert [place for place, result in enumerate(results) if result.error is not None] == places
    for place, result in enumerate(results):
        assert isinstance(result.error, PromptError) if place in places else result.satisfied
        assert result.text if place not in places else not result.text and not result.satisfied


def test_an_error_raises_when_its_turn_comes(lm: ConstrainedModel) -> None:
    results = lm.stream([Request("x", "a"), Request("x", "a & !a")], ordered=True, batch_size=1, **OPTIONS)
    assert next(results).satisfied
    with pytest.raises(ContradictionError):
        next(results)


def test_generate_raises_before_anything_runs_or_returns_the_error(lm: ConstrainedModel, toy: Toy) -> None:
    with pytest.raises(PromptError):
        lm.generate(["x", "too long"], "a", **OPTIONS)
    assert toy.started == []
    good, bad = lm.generate(["x", "too long"], "a", on_error="return", **OPTIONS)
    assert good.satisfied
    assert str(bad) == "error: the prompt is too long"
    assert bad.to_dict() == {"error": "the prompt is too long"}


def test_a_broken_batch_runs_again_one_by_one(lm: ConstrainedModel) -> None:
    requests = [Request(prompt, "a") for prompt in ("x", "bang", "xx", "xxx")]
    results = list(lm.stream(requests, ordered=True, on_error="return", batch_size=4, **OPTIONS))
    assert [str(result.error) if result.error else "" for result in results] == [
        "",
        "the model broke",
        "",
        "",
    ]
    assert all(result.satisfied for result in results if result.error is None)


@pytest.mark.parametrize("drawing", [{}, {"do_sample": True, "num_return_sequences": 2}])
def test_a_trace_has_each_step_once_though_a_batch_ran_again(
    lm: ConstrainedModel, drawing: dict[str, Any]
) -> None:
    broken: list[int] = []

    def break_once(ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        if len(steps) > 4 and not broken:
            broken.append(len(steps))
            raise RuntimeError("the processor broke")
        return scores

    steps: list[dict[str, Any]] = []
    hooks = {"trace": Trace(steps.append), "logits_processor": [break_once]}
    results = list(lm.stream(requests_of(3), on_error="return", **hooks, **drawing, **OPTIONS))
    assert broken[0] > 0
    assert [result.error for result in results] == [None] * 3
    for label in range(3):
        own = [step["step"] for step in steps if step["input"] == label and "step" in step]
        assert own == list(range(1, len(own) + 1))


def test_a_bug_of_the_model_is_raised_as_it_is(lm: ConstrainedModel) -> None:
    with pytest.raises(RuntimeError, match="the model broke"):
        lm.generate(["x", "bang"], "a", **OPTIONS)


def test_a_wrong_verdict_fails_one_request_only(lm: ConstrainedModel, toy: Toy) -> None:
    toy.lies = True
    (result,) = lm.stream([Request("x", "a")], on_error="return", **OPTIONS)
    assert isinstance(result.error, VerificationError)


def test_warnings_come_with_their_result(lm: ConstrainedModel) -> None:
    requests = [Request("x", '"a b" & "a c"'), Request("x", "a")]
    tight, easy = lm.stream(requests, ordered=True, on_error="return", num_beams=3, max_new_tokens=4)
    assert "may stay unsatisfied" in tight.warnings[0]
    assert easy.warnings == ()


# -- several drawn texts ----------------------------------------------------------------------------


def test_drawn_texts_are_different_and_do_not_depend_on_the_batch(lm: ConstrainedModel) -> None:
    drawing = {"do_sample": True, "temperature": 1.5, "num_return_sequences": 3, "seed": 7, **OPTIONS}
    results = list(lm.stream(requests_of(4), ordered=True, batch_size=2, **drawing))
    for result in results:
        texts = [result.text, *(other.text for other in result.others)]
        assert len(set(texts)) == len(texts) == 3
        assert result.request is not None
        assert (
            lm.generate(result.request.prompt, result.request.constraint, batch_size=8, **drawing) == result
        )


def finished(text: str, satisfied: int = 1, score: float = -1.0) -> SearchOutput:
    return SearchOutput(
        [Finished((1,), text.encode(), score, score, score, score, satisfied, 0, 0, "end")], calls=1
    )


@pytest.mark.parametrize(
    ("outputs", "texts"),
    [
        ([finished("A"), finished("B"), finished("A"), finished("C")], "ABC"),
        ([finished("A", score=-2.0), finished("B")], "BA"),
        ([finished("A", satisfied=0), finished("B")], "BA"),
    ],
    ids=["as they were drawn", "the likeliest first", "one that obeys first"],
)
def test_texts_of_several_searches_are_joined(outputs: list[SearchOutput], texts: str) -> None:
    joined = SearchOutput.joined(outputs)
    assert "".join(text.text.decode() for text in joined.texts) == texts
    assert joined.calls == len(outputs)


# -- requests that join while others run ------------------------------------------------------------


def test_futures_give_what_generate_gives(lm: ConstrainedModel) -> None:
    requests = requests_of(20)
    futures = [lm.submit(request, batch_size=4, **OPTIONS) for request in requests]
    for request, future in zip(requests, futures, strict=True):
        assert future.result(timeout=60) == lm.generate(request.prompt, request.constraint, **OPTIONS)


def test_threads_may_submit_requests_with_options_of_their_own(lm: ConstrainedModel) -> None:
    decoders = ["neurologic", "beam", "greedy", "astar"]
    found: dict[int, Result] = {}

    def ask(number: int) -> None:
        options = {"decoder": decoders[number % 4], "max_new_tokens": 6 + number}
        request = Request("x", None if number % 4 in (1, 2) else "a")
        found[number] = lm.submit(request, **options).result(timeout=60)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, result in found.items():
        options = {"decoder": decoders[number % 4], "max_new_tokens": 6 + number}
        assert result == lm.generate("x", None if number % 4 in (1, 2) else "a", **options)


def test_an_error_is_in_the_result_of_a_future(lm: ConstrainedModel) -> None:
    refused = lm.submit(Request("too long"), **OPTIONS).result(timeout=60)
    assert isinstance(refused.error, PromptError)
    broken = lm.submit(Request("bang"), **OPTIONS).result(timeout=60)
    assert isinstance(broken.error, RuntimeError)
    assert lm.submit(Request("x", "a"), **OPTIONS).result(timeout=60).satisfied


def test_a_cancelled_request_gives_its_place_away(toy: Toy) -> None:
    stepping, go_on = threading.Event(), threading.Event()
    inner = toy._model.logits_of

    def logits_of(tokens: Any) -> Any:
        stepping.set()
        go_on.wait(timeout=60)
        return inner(tokens)

    toy._model.logits_of = logits_of  # type: ignore[method-assign]
    lm = ConstrainedModel(toy)  # type: ignore[arg-type]
    running = lm.submit(Request("x", "a"), batch_size=1, **OPTIONS)
    waiting = lm.submit(Request("x", "b"), batch_size=1, **OPTIONS)
    following = lm.submit(Request("x", "a & b"), batch_size=1, **OPTIONS)
    assert stepping.wait(timeout=60)
    assert running.cancel()
    assert waiting.cancel()
    go_on.set()
    assert following.result(timeout=60).satisfied
    with pytest.raises(CancelledError):
        running.result(timeout=1)
    assert not wait([running, waiting, following], timeout=60).not_done


@pytest.mark.parametrize("decoder", ["neurologic", "astar", "beam"])
def test_requests_of_one_batch_may_have_limits_of_their_own(decoder: str) -> None:
    for seed in range(6):
        lm = ConstrainedModel(Toy(random_model(VOCABULARY, seed)))  # type: ignore[arg-type]
        formula = None if decoder == "beam" else "a & b"
        options = [{"decoder": decoder, "num_beams": 3, "max_new_tokens": limit} for limit in (6, 12, 20, 9)]
        futures = [lm.submit(Request("x", formula), **own) for own in options]
        for future, own in zip(futures, options, strict=True):
            assert future.result(timeout=60) == lm.generate("x", formula, **own)


def test_an_editing_request_does_not_make_the_model_serial(lm: ConstrainedModel) -> None:
    lm.submit(Request("x", "a"), decoder="cgmh", batch_size=4, max_new_tokens=6).result(timeout=60)
    assert lm._service is not None
    assert lm._service._scheduler.free == 4


def test_a_search_that_exits_resolves_its_futures_and_the_next_ones_run(toy: Toy) -> None:
    inner = toy._model.logits_of

    def leave(tokens: Any) -> Any:
        raise SystemExit

    lm = ConstrainedModel(toy)  # type: ignore[arg-type]
    toy._model.logits_of = leave  # type: ignore[method-assign]
    stopped = lm.submit(Request("x", "a"), **OPTIONS).result(timeout=60)
    assert str(stopped.error) == "the search stopped unexpectedly"
    toy._model.logits_of = inner  # type: ignore[method-assign]
    assert lm.submit(Request("x", "a"), **OPTIONS).result(timeout=60).satisfied


def test_closing_cancels_what_runs_and_waits(toy: Toy) -> None:
    stepping = threading.Event()
    inner = toy._model.logits_of

    def logits_of(tokens: Any) -> Any:
        stepping.set()
        return inner(tokens)

    toy._model.logits_of = logits_of  # type: ignore[method-assign]
    lm = ConstrainedModel(toy)  # type: ignore[arg-type]
    futures = [lm.submit(Request("x", "a"), batch_size=1, max_new_tokens=90) for _ in range(5)]
    assert stepping.wait(timeout=60)
    lm.close()
    assert all(future.done() for future in futures)
    assert futures[-1].cancelled()
    assert lm.submit(Request("x", "a"), **OPTIONS).result(timeout=60).satisfied


def test_an_error_keeps_no_batch_in_memory(lm: ConstrainedModel, toy: Toy) -> None:
    started: list[weakref.ref[Any]] = []
    start = toy.start

    def break_later(prompts: Any) -> Any:
        decoding = start(prompts)
        started.append(weakref.ref(decoding))
        decoding.advance = None  # the first step fails
        return decoding

    toy.start = break_later  # type: ignore[method-assign]
    results = list(lm.stream([Request("x", "a")] * 3, on_error="return", batch_size=2, **OPTIONS))
    assert [type(result.error) for result in results] == [TypeError] * 3
    gc.collect()
    assert not any(decoding() for decoding in started)


def test_an_error_that_is_its_own_cause_is_returned(lm: ConstrainedModel, toy: Toy) -> None:
    def fail(tokens: Any) -> Any:
        error = RuntimeError("round and round")
        raise error from error

    toy._model.logits_of = fail  # type: ignore[method-assign]
    (result,) = lm.stream([Request("x", "a")], on_error="return", **OPTIONS)
    assert str(result.error) == "round and round"


def test_an_error_of_the_callers_iterator_comes_after_the_results_before_it(lm: ConstrainedModel) -> None:
    def broken() -> Iterator[Request]:
        yield from requests_of(3)
        raise OSError("the disk is gone")

    results = lm.stream(broken(), on_error="return", **OPTIONS)
    assert {next(results).request.id for _ in range(3)} == {0, 1, 2}  # type: ignore[union-attr]
    with pytest.raises(OSError, match="the disk is gone"):
        next(results)


def test_include_and_exclude_join_the_constraint(lm: ConstrainedModel) -> None:
    result = lm.generate("x", "a", include=["b"], exclude=["c"], **OPTIONS)
    assert [clause.text for clause in result.clauses] == ["a", "b", "!c"]
    with pytest.raises(ValueError, match="list"):
        lm.generate("x", include="ab", **OPTIONS)
    good, bad = lm.generate(["x", "x"], ["a", "b &"], include=["b"], on_error="return", **OPTIONS)
    assert good.satisfied
    assert bad.error is not None


def test_a_list_for_one_prompt_is_refused(lm: ConstrainedModel) -> None:
    with pytest.raises(ValueError, match=r"for one prompt write include="):
        lm.generate("x", ["a", "b"], **OPTIONS)  # type: ignore[call-overload]


def test_a_result_of_a_compiled_constraint_can_be_pickled(lm: ConstrainedModel) -> None:
    result = lm.generate("x", lm.compile("a & (b | c)"), **OPTIONS)
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result
    assert copy.request.constraint == "(a) & (b | c)"
