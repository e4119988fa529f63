"""The guard: looks at every request before anything else does, and at every answer after.

It checks the size of headers, the name by which the server is called, the key, and the size and speed of the
body. It turns what goes wrong into OpenAI's errors, counts and logs. It knows nothing about texts.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import logging
import time
import uuid
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from neurologic.serve import logs
from neurologic.serve.api_errors import ApiError, hung_up
from neurologic.serve.json_text import JsonResponse
from neurologic.serve.limits import ServerLimits
from neurologic.serve.metrics import Metrics
from neurologic.serve.protocol import headers_too_large

HEALTH = "/health"
# Headers of every answer.
_SAFE_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


class Keys:
    """Keys that clients may show. Comparing takes the same time whether a guess is close or not."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._digests = [_digest(key.encode()) for key in keys]

    def open_for(self, authorization: str | None) -> bool:
        """Return whether a header shows a key: "Bearer KEY", or the key as the password of "Basic"."""
        if not self._digests:
            return True
        shown = _digest(_shown_key(authorization or ""))
        # Compare with all of them, not up to the first that fits.
        matches = [hmac.compare_digest(shown, digest) for digest in self._digests]
        return any(matches)


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()


def _shown_key(authorization: str) -> bytes:
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip().encode()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
        except (binascii.Error, ValueError):
            return b""
    return b""


class Guard:
    """An ASGI application around another one."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        limits: ServerLimits,
        keys: Keys,
        hosts: Sequence[str],
        metrics: Metrics,
        routes: Collection[str],
    ) -> None:
        """Guard an application.

        hosts   names by which clients may call the server; empty allows any
        routes  the known paths, which metrics tell apart
        """
        self._app = app
        self._limits = limits
        self._keys = keys
        self._hosts = frozenset(host.lower() for host in hosts)
        self._metrics = metrics
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visit = _Visit(scope, send)
        try:
            self._admit(scope)
            body = await self._body(scope, receive)
            await self._app(scope, _replayed(body, receive), visit.send)
        except ApiError as error:
            visit.details["code"] = error.code
            visit.status = error.status
            await visit.answer(error)
        except Exception as error:
            logs.say("failed", level=logging.ERROR, error=error, id=visit.id, path=scope["path"])
            await visit.answer(ApiError(500, "the server failed; its log says why", code="server_error"))
        finally:
            self._note(visit)

    def _admit(self, scope: Scope) -> None:
        """Refuse a request by its headers."""
        size = sum(len(name) + len(value) + 4 for name, value in scope["headers"]) + len(scope["raw_path"])
        if size + len(scope["query_string"]) > self._limits.header_bytes:
            raise headers_too_large(self._limits)
        headers = Headers(scope=scope)
        if self._hosts and _host(headers.get("host", "")) not in self._hosts:
            # Else any web page could reach a server on this machine, through a name that it controls.
            raise ApiError(
                403, "this server is not known by that name; see --allow-host", code="unknown_host"
            )
        if scope["path"] != HEALTH and not self._keys.open_for(headers.get("authorization")):
            raise ApiError(
                401,
                "give a key of this server, as in Authorization: Bearer KEY",
                code="invalid_api_key",
                headers={"www-authenticate": 'Basic realm="neurologic", charset="UTF-8"'},
            )

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """Read the whole body; refuse one that is too large or comes too slowly."""
        stated = Headers(scope=scope).get("content-length", "0")
        if stated.isdecimal() and int(stated[:20]) > self._limits.body_bytes:
            raise self._body_too_large()
        try:
            return await asyncio.wait_for(self._received(receive), self._limits.body_seconds)
        except TimeoutError:
            message = f"the body was not there within {self._limits.body_seconds:g} s"
            raise ApiError(408, message, code="too_slow", headers={"connection": "close"}) from None

    async def _received(self, receive: Receive) -> bytes:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise hung_up()
            body += message.get("body", b"")
            if len(body) > self._limits.body_bytes:
                raise self._body_too_large()
            if not message.get("more_body", False):
                return bytes(body)

    def _body_too_large(self) -> ApiError:
        message = f"the body is larger than {self._limits.body_bytes} bytes"
        return ApiError(413, message, code="body_too_large", headers={"connection": "close"})

    def _note(self, visit: _Visit) -> None:
        """Count and log an answer."""
        seconds = time.perf_counter() - visit.started
        path = visit.scope["path"]
        status = visit.details.pop("status", visit.status)  # how a stream went that began with 200
        self._metrics.answered(path if path in self._routes else "other", status, seconds)
        logs.say(
            "answered",
            id=visit.id,
            method=visit.scope["method"],
            path=path[:200],
            status=status,
            seconds=round(seconds, 4),
            **visit.details,
        )


class _Visit:
    """One request on its way through the server.

    details  what the routes want to have in the log; "status" replaces that of a stream that went wrong
    """

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope = scope
        self.id = f"req_{uuid.uuid4().hex}"
        self.started = time.perf_counter()
        self.details: dict[str, Any] = {}
        self.status = 500
        self._send = send
        self._begun = False
        scope["state"] = {**scope.get("state", {}), "details": self.details, "started": self.started}

    async def send(self, message: Message) -> None:
        """Pass on a message of the application, with the headers of every answer."""
        if message["type"] == "http.response.start":
            self._begun = True
            self.status = message["status"]
            own = {**_SAFE_HEADERS, "x-request-id": self.id}
            message["headers"] = [
                *message["headers"],
                *((name.encode(), value.encode()) for name, value in own.items()),
            ]
        await self._send(message)

    async def answer(self, error: ApiError) -> None:
        """Send an error, unless an answer has begun or nobody is there."""
        if self._begun or error.status == hung_up().status:
            return
        response = JsonResponse(error.body, error.status, headers=error.headers)
        await response(self.scope, _nothing, self.send)


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


def _host(header: str) -> str:
    """Return the name in a Host header, without the port.

    >>> _host("localhost:8000"), _host("[::1]:8000")
    ('localhost', '[::1]')
    """
    name, colon, port = header.rpartition(":")
    return (name if colon and port.isdecimal() else header).lower()


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body in one piece, and then what the connection gives."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
