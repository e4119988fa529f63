"""Jobs in an order that saves padding, and results as they come or in the order of their requests."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from neurologic.errors import PromptError
from neurologic.generation.turns import Request, Turns, in_order


def job_of(request: Request) -> Any:
    if request.prompt == "too long":
        raise PromptError("the prompt is too long")
    return SimpleNamespace(given=SimpleNamespace(prompt=SimpleNamespace(ids=tuple(request.prompt))))


def prompt_of(job: Any) -> str:
    return "".join(job.given.prompt.ids)


def turns_of(*prompts: str, ahead: int = 4) -> Turns:
    requests = [Request(prompt) for prompt in prompts]
    return Turns(requests, map(job_of, requests), ahead=ahead)


def result_of(job: Any, output: Any) -> Any:
    return f"{prompt_of(job)}: {output}"


def test_the_longest_of_those_that_come_soon_is_first() -> None:
    turns = turns_of("b", "aaa", "cc", "dddd", "eeeeee", "f", ahead=3)
    assert [prompt_of(job) for job in turns.jobs()] == ["aaa", "cc", "b", "eeeeee", "dddd", "f"]
    assert turns.names == [1, 2, 0, 4, 3, 5]


def test_results_come_in_the_order_of_the_requests() -> None:
    turns = turns_of("b", "aaa", "cc")
    order = [prompt_of(job) for job in turns.jobs()]
    done = [(place, f"text of {order[place]}") for place in (0, 2, 1)]
    results = list(turns.results(iter(done), result_of))
    assert results == [(1, "aaa: text of aaa"), (0, "b: text of b"), (2, "cc: text of cc")]
    assert list(in_order(results)) == ["b: text of b", "aaa: text of aaa", "cc: text of cc"]


def test_a_result_is_given_as_soon_as_those_before_it_are() -> None:
    turns = turns_of("b", "aaa", "cc")
    list(turns.jobs())
    seen: list[int] = []

    def outputs() -> Any:
        for place in (2, 0, 1):  # "b" is done first
            seen.append(place)
            yield place, "text"

    given = in_order(turns.results(outputs(), result_of))
    assert next(given) == "b: text"
    assert seen == [2]


def test_a_request_that_cannot_be_run_is_told_after_those_before_it() -> None:
    turns = turns_of("b", "aaa", "too long", "cc")
    jobs = [prompt_of(job) for job in turns.jobs()]
    assert jobs == ["aaa", "b"]  # nothing after it runs
    given = in_order(turns.results(((place, "text") for place in range(2)), result_of))
    assert [next(given), next(given)] == ["b: text", "aaa: text"]
    with pytest.raises(PromptError, match="too long"):
        next(given)


def test_a_trace_calls_a_request_by_its_number() -> None:
    requests = [Request("a", number=17), Request("bb")]
    turns = Turns(requests, map(job_of, requests), ahead=2)
    list(turns.jobs())
    assert turns.names == [1, 17]
