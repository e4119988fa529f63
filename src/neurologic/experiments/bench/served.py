"""Scenario (s): a server with many clients, against the same requests from a file.

The server runs in a thread of this process, with the same model object, so only the way of a request differs:
HTTP, JSON and server-sent events for one side, `lm.stream` (which is `neurologic generate -i`) for the other.
Clients stream, so that they know when the first bit of each text is there. They share this process with the
server, which costs the server time; clients elsewhere would not.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from neurologic.errors import NeurologicError
from neurologic.experiments.bench.results import Run
from neurologic.experiments.bench.workload import SERVED, Workload
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.generation.request import Request
from neurologic.serve.server import make_server

_START_SECONDS = 300
_POLL_SECONDS = 0.02

Clock = Callable[[], float]


class _Text(NamedTuple):
    """A text as its client got it: tokens, verdict, and the seconds until the first bit of it."""

    tokens: int
    satisfied: bool
    wait: float


def prepare_side(
    lm: ConstrainedModel,
    workload: Workload,
    side: str,
    settings: Mapping[str, Any],
    clock: Clock,
    opened: ExitStack,
) -> Callable[[], Run]:
    """Return a function that writes all texts of the workload; `opened` stops the server at the end."""
    if side != SERVED:
        return lambda: _run_file(lm, workload, settings, clock)
    port = opened.enter_context(_running_server(lm, workload.batch_size))
    return lambda: _run_clients(port, workload, settings, clock, chat=_chats(lm))


def _run_file(lm: ConstrainedModel, workload: Workload, settings: Mapping[str, Any], clock: Clock) -> Run:
    requests = (
        Request(prompt, formula, raw=not _chats(lm))
        for prompt, formula in zip(workload.prompts, workload.formulas[SERVED], strict=True)
    )
    started = clock()
    results = list(
        lm.stream(requests, ordered=True, on_error="return", batch_size=workload.batch_size, **settings)
    )
    return Run(
        clock() - started,
        texts=len(results),
        tokens=sum(len(result.tokens) for result in results),
        satisfied=sum(result.satisfied for result in results),
    )


def _run_clients(
    port: int, workload: Workload, settings: Mapping[str, Any], clock: Clock, *, chat: bool
) -> Run:
    path = "/v1/chat/completions" if chat else "/v1/completions"
    own = {name: value for name, value in settings.items() if name != "max_new_tokens"}
    bodies = [
        {
            **({"messages": [{"role": "user", "content": prompt}]} if chat else {"prompt": prompt}),
            "max_tokens": workload.max_new_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
            "neurologic": {"formula": str(formula), **own},
        }
        for prompt, formula in zip(workload.prompts, workload.formulas[SERVED], strict=True)
    ]
    started = clock()
    with ThreadPoolExecutor(workload.clients) as clients:
        texts = list(clients.map(lambda body: _ask(port, path, body, clock), bodies))
    return Run(
        clock() - started,
        texts=len(texts),
        tokens=sum(text.tokens for text in texts),
        satisfied=sum(text.satisfied for text in texts),
        waits=tuple(text.wait for text in texts),
    )


def _ask(port: int, path: str, body: Mapping[str, Any], clock: Clock) -> _Text:
    """Send one request as a client would, and read its stream."""
    started = clock()
    connection = http.client.HTTPConnection("127.0.0.1", port)
    try:
        headers = {"content-type": "application/json"}
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        if answer.status != http.client.OK:
            raise NeurologicError(f"the server answers {answer.status}: {answer.read().decode()}")
        wait, satisfied, tokens = None, False, 0
        for line in answer:
            if not line.startswith(b"data: {"):
                continue
            chunk = json.loads(line.removeprefix(b"data: "))
            for choice in chunk.get("choices", ()):
                if wait is None and (choice.get("text") or choice.get("delta", {}).get("content")):
                    wait = clock() - started
                satisfied = choice.get("neurologic", {}).get("satisfied", satisfied)
            tokens = (chunk.get("usage") or {}).get("completion_tokens", tokens)
        return _Text(tokens, satisfied, clock() - started if wait is None else wait)
    finally:
        connection.close()


def _chats(lm: ConstrainedModel) -> bool:
    """Return whether the model takes conversations."""
    return bool(getattr(lm.tokenizer, "chat_template", None))


@contextmanager
def _running_server(lm: ConstrainedModel, places: int) -> Iterator[int]:
    """Run a server in a thread and give its port."""
    server = make_server(lambda: lm, model="bench", places=places)
    thread = threading.Thread(target=server.run, name="neurologic serve")
    thread.start()
    try:
        deadline = time.monotonic() + _START_SECONDS
        while server.service.desk is None:
            if not thread.is_alive() or time.monotonic() > deadline:
                raise NeurologicError("the server did not start") from server.failure
            time.sleep(_POLL_SECONDS)
        yield server.port
    finally:
        server.should_exit = True
        thread.join()
