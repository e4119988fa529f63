"""Streams: the chunks add up to the text, come early, and end with the verdict."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Sequence
from typing import Any

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.serve.answers import cut_stop
from neurologic.serve.streaming import safe_length
from serve.server_process import ServerProcess, fast

MESSAGES: list[Any] = [{"role": "user", "content": "A dog runs."}]


def chunks(client: openai.OpenAI, neurologic: dict[str, Any] | None = None, **fields: Any) -> list[Any]:
    given = {"model": "tiny-chat", "messages": MESSAGES, "max_tokens": 12, "stream": True, **fields}
    return list(client.chat.completions.create(**given, extra_body={"neurologic": fast(neurologic)}))


def texts(answer: Sequence[Any]) -> dict[int, str]:
    """Return the text of every choice."""
    found: dict[int, str] = {}
    for chunk in answer:
        for choice in chunk.choices:
            found[choice.index] = found.get(choice.index, "") + (choice.delta.content or "")
    return found


@pytest.mark.parametrize(
    ("neurologic", "fields"),
    [
        ({"formula": "shells & !dog"}, {}),
        ({"formula": "shells", "num_beams": 2}, {}),
        ({"decoder": "greedy"}, {}),
        ({"decoder": "beam", "num_beams": 3}, {}),
        ({"formula": "dog"}, {"n": 3}),
        ({"formula": "dog"}, {"temperature": 1.0, "seed": 3}),
        ({"formula": "dog"}, {"temperature": 1.0, "seed": 3, "n": 2}),
        ({"decoder": "greedy"}, {"stop": [" the", "o"], "max_tokens": 60}),
    ],
)
def test_the_chunks_are_the_text(
    client: openai.OpenAI, neurologic: dict[str, Any], fields: dict[str, Any]
) -> None:
    streamed = chunks(client, neurologic, **fields)
    whole = client.chat.completions.create(
        **{"model": "tiny-chat", "messages": MESSAGES, "max_tokens": 12, **fields},
        extra_body={"neurologic": fast(neurologic)},
    )
    assert texts(streamed) == {choice.index: choice.message.content for choice in whole.choices}
    ends = {
        choice.index: (choice.finish_reason, choice.neurologic)
        for chunk in streamed
        for choice in chunk.choices
        if choice.finish_reason is not None
    }
    assert ends == {choice.index: (choice.finish_reason, choice.neurologic) for choice in whole.choices}


def test_text_comes_before_the_end(client: openai.OpenAI) -> None:
    streamed = chunks(client, {"num_beams": 1, "min_new_tokens": 30}, max_tokens=30)
    assert len(streamed) > 10
    assert {chunk.object for chunk in streamed} == {"chat.completion.chunk"}
    assert streamed[0].choices[0].delta.role == "assistant"
    assert all(chunk.choices[0].delta.role is None for chunk in streamed[1:])


def test_text_completions_stream_too(client: openai.OpenAI) -> None:
    given: dict[str, Any] = {
        "model": "tiny-chat",
        "prompt": ["The dog", "She"],
        "max_tokens": 8,
        "echo": True,
    }
    streamed: dict[int, str] = {}
    for chunk in client.completions.create(**given, stream=True):
        for choice in chunk.choices:
            streamed[choice.index] = streamed.get(choice.index, "") + choice.text
    whole = client.completions.create(**given)
    assert streamed == {choice.index: choice.text for choice in whole.choices}


def test_usage_comes_last_if_asked_for(client: openai.OpenAI) -> None:
    streamed = chunks(client, {"formula": "dog"}, stream_options={"include_usage": True})
    assert streamed[-1].choices == []
    assert streamed[-1].usage.total_tokens > streamed[-1].usage.completion_tokens > 0
    assert all(chunk.usage is None for chunk in streamed[:-1])


def test_an_order_that_cannot_be_taken_has_a_status(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="line 1"):
        chunks(client, {"formula": "dog &"})


def test_events_look_as_they_should(server: ServerProcess) -> None:
    body = {"messages": MESSAGES, "max_tokens": 6, "stream": True}
    request = urllib.request.Request(
        f"{server.url}/v1/chat/completions",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = answer.read().decode().split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""]
    assert all(json.loads(event.removeprefix("data: "))["choices"] for event in events[:-2])


# -- clients that hang up ---------------------------------------------------------------------------


def figure(server: ServerProcess, name: str) -> float:
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=60) as page:
        lines = page.read().decode().splitlines()
    return next((float(line.split()[-1]) for line in lines if line.startswith(f"{name} ")), 0.0)


def wait_until_idle(server: ServerProcess, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while figure(server, "neurologic_running") or figure(server, "neurologic_waiting"):
        assert time.monotonic() < deadline, "a place is still taken"
        time.sleep(0.02)


LONG: dict[str, Any] = {"model": "tiny-chat", "messages": MESSAGES, "max_tokens": 1900}
ENDLESS = {"neurologic": fast({"num_beams": 2, "min_new_tokens": 1900})}


def test_a_reader_who_stops_reading_frees_the_place(server: ServerProcess) -> None:
    with server.client() as client:
        stream = client.chat.completions.create(**LONG, stream=True, extra_body=ENDLESS)
        next(iter(stream))
        assert figure(server, "neurologic_running") == 1
        stream.close()
    wait_until_idle(server, 5)
    assert server.wait_for("answered", status=499)["code"] == "client_closed"


def test_a_client_who_does_not_wait_frees_the_place(server: ServerProcess) -> None:
    with server.client(timeout=1.0) as client, pytest.raises(openai.APITimeoutError):
        client.chat.completions.create(**LONG, extra_body=ENDLESS)
    wait_until_idle(server, 5)
    server.wait_for("answered", status=499)


# -- stop strings -----------------------------------------------------------------------------------

TEXTS = st.text("ab\n", max_size=12)


@given(text=TEXTS, stops=st.lists(st.text("ab\n", min_size=1, max_size=4), max_size=3), rest=TEXTS)
def test_what_is_sent_stays_true_whatever_follows(text: str, stops: list[str], rest: str) -> None:
    sent = text[: safe_length(text, stops)]
    assert not any(stop in sent for stop in stops)
    assert cut_stop(text + rest, stops).startswith(sent)


def test_the_beginning_of_a_stop_string_waits() -> None:
    assert safe_length("It is the EN", ["END"]) == len("It is the ")
    assert safe_length("It is the END.", ["END"]) == len("It is the ")
    assert safe_length("It is the EMU", ["END"]) == len("It is the EMU")
