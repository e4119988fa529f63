"""Connections: uvicorn's, with limits on what a client may send before a request begins.

uvicorn waits for headers as long as a client likes. Here a client has some seconds for them, and gets errors
in OpenAI's shape. Bodies are the `guard`'s business.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from neurologic.serve.api_errors import ApiError
from neurologic.serve.json_text import json_bytes
from neurologic.serve.limits import ServerLimits


def protocol_class(limits: ServerLimits) -> type[H11Protocol]:
    """Return uvicorn's protocol for HTTP/1.1 with these limits; uvicorn makes one per connection."""

    class LimitedProtocol(H11Protocol):
        """A connection that must send its headers in time."""

        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                message = f"{limits.connections} connections are open already"
                self._refuse(ApiError(503, message, code="too_many_connections"))
                return
            self._timer = self.loop.call_later(limits.header_seconds, self._too_slow)

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_timer()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if self.transport.is_closing():
                return
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:  # the headers are there, or the connection is over
                self._stop_timer()
            elif self._timer is None:  # the beginning of a further request
                self._timer = self.loop.call_later(limits.header_seconds, self._too_slow)

        def send_400_response(self, msg: str) -> None:
            problem = sys.exception()
            if getattr(problem, "error_status_hint", 400) == 431:
                self._refuse(headers_too_large(limits))
            else:
                self._refuse(ApiError(400, f"this is not HTTP/1.1: {problem or msg}", code="invalid_http"))

        def _too_slow(self) -> None:
            self._timer = None
            message = f"no whole request within {limits.header_seconds:g} s"
            self._refuse(ApiError(408, message, code="too_slow"))

        def _refuse(self, error: ApiError) -> None:
            """Send an error and close the connection; if an answer has begun, close it only."""
            if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE) and not self.transport.is_closing():
                body = json_bytes(error.body)
                headers = [
                    ("content-type", "application/json"),
                    ("content-length", str(len(body))),
                    ("connection", "close"),
                    *error.headers.items(),
                ]
                response = h11.Response(status_code=error.status, headers=headers)
                for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                    self.transport.write(self.conn.send(event) or b"")
            self.transport.close()

        def _stop_timer(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return LimitedProtocol


def headers_too_large(limits: ServerLimits) -> ApiError:
    """Return the answer to headers that are too large."""
    message = f"the headers are larger than {limits.header_bytes} bytes"
    return ApiError(431, message, code="headers_too_large")
