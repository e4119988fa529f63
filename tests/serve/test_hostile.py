"""Hostile clients: each is refused in OpenAI's shape, and others are answered meanwhile."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from serve.server_process import ServerProcess

PATH = "/v1/chat/completions"
MESSAGES = [{"role": "user", "content": "A dog."}]


def raw(server: ServerProcess, data: bytes, *, seconds: float = 30) -> tuple[int, dict[str, Any]]:
    """Send bytes as they are; return the status and the JSON of the answer."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # refused before all was sent
            connection.sendall(data)
        return answer(connection)


def answer(connection: socket.socket) -> tuple[int, dict[str, Any]]:
    received = b""
    while b"\r\n\r\n" not in received or not received.rstrip().endswith(b"}"):
        try:
            more = connection.recv(65536)
        except ConnectionResetError:
            break
        if not more:
            break
        received += more
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


def post(body: bytes, path: str = PATH, **headers: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "host: localhost", "content-type: application/json"]
    lines += [f"content-length: {len(body)}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def chat(constraint: Any, **fields: Any) -> bytes:
    return post(
        json.dumps({"messages": MESSAGES, "max_tokens": 8, "neurologic": constraint, **fields}).encode()
    )


def nested(depth: int) -> Any:
    value: Any = "dog"
    for _ in range(depth):
        value = {"not": value}
    return value


@pytest.fixture(autouse=True)
def others_are_answered(server: ServerProcess) -> Iterator[None]:
    """After every attack, the server is there for others."""
    yield
    answer = server.client().completions.create(model="tiny-chat", prompt="The dog", max_tokens=4)
    assert answer.choices[0].text


@pytest.mark.parametrize(
    ("constraint", "code"),
    [
        ({"formula": "(" * 24_000 + "a" + ")" * 24_000}, "invalid_formula"),
        ({"formula": "(" * 60_000}, "formula_too_large"),
        ({"formula": "!" * 49_000 + "dog"}, "invalid_formula"),
        ({"formula": "dog & " * 8000 + "dog"}, "formula_too_large"),
        ({"formula": "a\0b"}, "invalid_formula"),
        ({"include": ["\ud800"]}, None),
        ({"include": [nested(80)]}, "formula_too_large"),
        ({"include": [{"phrase": "dog", "times": 10**9}]}, None),
        ({"formula": "dog[times=999999999]"}, None),
        ({"formula": "<->".join(f"a{number}" for number in range(40))}, None),
        ({"include": ["x" * 49_000]}, "formula_too_large"),
        ({"include": [f"w{number}" for number in range(1001)]}, "formula_too_large"),
        ({"include": ["dog"], "num_beams": 10**30}, "limit_exceeded"),
    ],
)
def test_a_hostile_formula_is_refused(server: ServerProcess, constraint: Any, code: str | None) -> None:
    started = time.monotonic()
    status, body = raw(server, chat(constraint))
    assert status == 400, body
    assert code in (None, body["error"]["code"]), body
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[", 400),
        (b"[" * 200_000, 400),
        (b'{"messages":' + b"[" * 5_000 + b"]" * 5_000 + b"}", 400),
        (b"\xff\xfe", 400),
        (b"null", 400),
        (b'{"messages": NaN}', 400),
        (b'{"messages": [{"role": "user", "content": "\\ud800"}]}', 400),
        (b'{"messages": [{"role": "user", "content": "x"}], "temperature": 1e999}', 400),
        (b'{"messages": [{"role": "user", "content": "x"}], "seed": ' + b"9" * 5000 + b"}", 400),
    ],
)
def test_a_body_that_is_not_a_request_is_refused(server: ServerProcess, body: bytes, status: int) -> None:
    found, answered = raw(server, post(body))
    assert found == status
    assert set(answered["error"]) >= {"message", "type", "param", "code"}


def test_a_body_of_10_megabytes_is_refused_before_it_is_read(server: ServerProcess) -> None:
    status, body = raw(server, chat({"formula": "a" * 10_000_000}))
    assert (status, body["error"]["code"]) == (413, "body_too_large")


def test_a_body_in_chunks_is_counted(server: ServerProcess) -> None:
    head = f"POST {PATH} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n".encode()
    chunk = b"10000\r\n" + b"a" * 65536 + b"\r\n"
    status, body = raw(server, head + chunk * 20)
    assert (status, body["error"]["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("size", [20_000, 200_000])
def test_large_headers_are_refused(server: ServerProcess, size: int) -> None:
    status, body = raw(server, post(b"{}", **{"x-large": "a" * size}))
    assert (status, body["error"]["code"]) == (431, "headers_too_large")


def test_what_is_not_http_is_refused(server: ServerProcess) -> None:
    status, body = raw(server, b"\x16\x03\x01 hello\r\n\r\n")
    assert (status, body["error"]["code"]) == (400, "invalid_http")


def test_unknown_paths_and_methods(server: ServerProcess) -> None:
    for request, status in (
        ("GET /nowhere", 404),
        (f"GET {PATH}", 405),
        ("GET /playground/../limits.py", 404),
    ):
        found, body = raw(server, f"{request} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        assert (found, body["error"]["type"]) == (status, "invalid_request_error")


def test_slow_clients_are_sent_away_and_hold_up_nobody(guarded: ServerProcess) -> None:
    slow_headers = socket.create_connection(("127.0.0.1", guarded.port), timeout=30)
    slow_headers.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nhost: loc")
    slow_body = socket.create_connection(("127.0.0.1", guarded.port), timeout=30)
    slow_body.sendall(post(b"{}" * 50, authorization="Bearer secret-one")[:-60])
    silent = socket.create_connection(("127.0.0.1", guarded.port), timeout=30)
    for connection in (slow_headers, slow_body, silent):
        with connection:
            status, body = answer(connection)
            assert (status, body["error"]["code"]) == (408, "too_slow")


def test_1000_connections_leave_room_for_another(server: ServerProcess) -> None:
    connections = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(1000)]
    try:
        answer = server.client().completions.create(model="tiny-chat", prompt="The dog", max_tokens=4)
        assert answer.choices[0].text
    finally:
        for connection in connections:
            connection.close()
