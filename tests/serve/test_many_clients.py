"""Many clients at once: everybody gets what the library gives alone; a signal loses nobody's text."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest

from serve.server_process import FAST, ServerProcess

FORMULAS = ["dog", "sea & !dog", "(run | ran) & shells", "!the", "dog & Wald"]
SETTINGS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"num_beams": 4}, {}),
    ({"num_beams": 2}, {}),
    ({"num_beams": 2, "decoder": "astar"}, {}),
    ({"num_beams": 4}, {"temperature": 1.3, "seed": 7}),
    ({"num_beams": 4, "lambda_": 1.0}, {"n": 2}),
]


def order(number: int) -> tuple[list[dict[str, str]], str, dict[str, Any], dict[str, Any], int]:
    """Return prompt, formula, our settings, OpenAI's settings and the limit of a client."""
    own, openai_own = SETTINGS[number % len(SETTINGS)]
    prompt = [{"role": "user", "content": f"Text {number}, please." * (1 + number % 3)}]
    return prompt, FORMULAS[number * 3 // 7 % len(FORMULAS)], own, openai_own, 6 + number % 3


def test_32_clients_get_what_the_library_writes_alone(server: ServerProcess, lm: Any) -> None:
    def ask(number: int) -> list[str]:
        prompt, formula, own, fields, limit = order(number)
        with server.client() as client:
            answer: Any = client.chat.completions.create(
                model="tiny-chat",
                messages=prompt,  # type: ignore[arg-type]
                max_tokens=limit,
                extra_body={"neurologic": {"formula": formula, **FAST, **own}},
                **fields,
            )
        assert all(choice.neurologic["satisfied"] for choice in answer.choices)
        return [choice.message.content for choice in answer.choices]

    with ThreadPoolExecutor(32) as clients:
        answers = list(clients.map(ask, range(32)))
    names = {"temperature": "temperature", "seed": "seed", "n": "num_return_sequences"}
    for number, texts in enumerate(answers):
        prompt, formula, own, fields, limit = order(number)
        settings = {names[name]: value for name, value in fields.items()}
        if "temperature" in settings:
            settings["do_sample"] = True
        result = lm.generate(prompt, formula, max_new_tokens=limit, **FAST, **own, **settings)
        assert texts == [text.text for text in (result, *result.others)], number


@pytest.fixture
def small_server(folder: Path) -> Any:
    """A server with one place, two that may wait, and little time."""
    limits = ("waiting=2", "request_seconds=60", "prompt_tokens=60")
    options = [word for limit in limits for word in ("--limit", limit)]
    with ServerProcess(folder, "--batch-size", "1", *options) as process:
        process.wait_for("ready")
        yield process


def test_a_full_server_refuses_and_a_signal_loses_nobody(small_server: ServerProcess) -> None:
    def ask(number: int) -> Any:
        with small_server.client() as client:
            return client.chat.completions.create(
                model="tiny-chat",
                messages=[{"role": "user", "content": f"Text {number}"}],
                max_tokens=60,
                extra_body={"neurologic": {"formula": "dog", **FAST, "num_beams": 4, "min_new_tokens": 60}},
            )

    with ThreadPoolExecutor(8) as clients:
        asked = [clients.submit(ask, number) for number in range(8)]
        small_server.wait_for("answered", status=429)
        refused = [small_server.wait_for("answered", status=429) for _ in range(4)]
        small_server.signal(signal.SIGTERM)
        small_server.wait_for("stopping")
        errors = [future.exception() for future in asked]
    busy = [error for error in errors if error is not None]
    assert len(refused) + 1 == len(busy) == 5
    for error in busy:
        assert isinstance(error, openai.RateLimitError)
        assert int(error.response.headers["retry-after"]) >= 1
    answers = [future.result() for future in asked if future.exception() is None]
    assert [answer.choices[0].neurologic["satisfied"] for answer in answers] == [True] * 3
    assert small_server.ended() == 0
