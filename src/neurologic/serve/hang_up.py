"""Notice clients that hang up, so that nothing runs for nobody."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from neurologic.serve.api_errors import ApiError, hung_up

T = TypeVar("T")


async def unless_hung_up(work: Coroutine[Any, Any, T], receive: Receive) -> T:
    """Return what `work` returns; cancel it and raise `ApiError` if the client hangs up before.

    `receive` must have given the whole body already: whatever it gives next is the end of the connection.
    """
    working = asyncio.ensure_future(work)
    listening = asyncio.ensure_future(_until_disconnected(receive))
    try:
        await asyncio.wait({working, listening}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise hung_up()
        return working.result()
    finally:
        for task in (working, listening):
            task.cancel()
        # Wait for both, and look at what they raise, so that asyncio does not complain about it.
        await asyncio.gather(working, listening, return_exceptions=True)


async def _until_disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class EventStream(Response):
    """Server-sent events; closes their source when the client hangs up."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[bytes], end: Callable[[ApiError | None], object]) -> None:
        """Send events; `end` is called when all are sent, or with an error when nobody listens any more."""
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._events = events
        self._end = end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(self._events):
            try:
                await unless_hung_up(self._send(send), receive)
            except ApiError as error:
                self._end(error)
            else:
                self._end(None)

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for event in self._events:
            await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
