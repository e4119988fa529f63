"""Answers bit by bit, as server-sent events.

What every text of a search has in common is sent as soon as it is certain; the rest follows when the text is
done, with the verdict in its last chunk. The beginning of what may become a stop string waits. If an order
asks for a live picture, a chunk without choices follows every step of its searches.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from neurologic.generation.result import Result
from neurologic.picture import GrowingSearch
from neurologic.serve.answers import Answer, Choice, choices_of, usage
from neurologic.serve.api_errors import ApiError, shutting_down, timed_out
from neurologic.serve.desk import Desk
from neurologic.serve.json_text import json_bytes

DONE = b"data: [DONE]\n\n"


@dataclass
class Stream:
    """One streamed answer.

    seconds   the time for all of it
    on_text   called when the first bit of text is there
    choices   those that are done
    error     what ended the stream early
    """

    answer: Answer
    desk: Desk
    seconds: float
    on_text: Callable[[], object]
    choices: list[Choice] = field(default_factory=list)
    error: ApiError | None = None
    _sent: dict[int, str] = field(default_factory=dict)
    _growing: dict[int, GrowingSearch] = field(default_factory=dict)

    async def events(self) -> AsyncGenerator[bytes]:
        """Yield all events; the first one, which is empty, once the order is accepted.

        Whoever closes this cancels what runs, with the next step of the search.
        """
        order, deadline = self.answer.order, time.monotonic() + self.seconds
        loop = asyncio.get_running_loop()
        news: asyncio.Queue[tuple[int, str | dict[str, Any] | Future[Result]]] = asyncio.Queue()

        def tell(number: int, item: str | dict[str, Any] | Future[Result]) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody listens
                loop.call_soon_threadsafe(news.put_nowait, (number, item))

        async with self.desk.take(order, tell) as futures:
            yield b""
            for number, future in enumerate(futures):
                future.add_done_callback(partial(tell, number))
            try:
                unfinished = len(futures)
                while unfinished:
                    chunks: Iterable[dict[str, Any]]
                    number, item = await asyncio.wait_for(news.get(), deadline - time.monotonic())
                    if isinstance(item, str):
                        chunks = self._progress(number, item)
                    elif isinstance(item, dict):
                        chunks = await self._step(number, item)
                    else:
                        unfinished -= 1
                        chunks = self._end(await choices_of(order, number, item.result(), self.desk))
                    for chunk in chunks:
                        yield _event(chunk)
            except TimeoutError:
                self.error = timed_out(self.seconds)
            except CancelledError:
                self.error = shutting_down()
            except ApiError as error:
                self.error = error
        if self.error is not None:
            yield _event(self.error.body)
            return
        if order.include_usage:
            yield _event({**self._head(), "choices": [], "usage": usage(self.choices, order.n)})
        yield DONE

    def _progress(self, number: int, text: str) -> Iterator[dict[str, Any]]:
        """Yield a chunk of the best text of a prompt; whether it has further texts is not known yet."""
        order = self.answer.order
        text = text[: safe_length(text, order.stops)]
        yield from self._grow(number * order.n, f"{order.prompts[number]}{text}" if order.echo else text)

    async def _step(self, number: int, record: dict[str, Any]) -> Sequence[dict[str, Any]]:
        """Return a chunk with what a record of a trace adds to the picture of a prompt's search."""
        growing = self._growing.setdefault(number, GrowingSearch())
        addition = await self.desk.drawn_on(growing, record)
        if addition is None:
            return ()
        index = number * self.answer.order.n
        return ({**self._head(), "choices": [], "neurologic": {"index": index, "picture": addition}},)

    def _end(self, choices: Sequence[Choice]) -> Iterator[dict[str, Any]]:
        """Yield the rest of the texts of a prompt, and their verdicts."""
        for choice in choices:
            yield from self._grow(choice.index, choice.text)
            yield self._chunk(
                choice.index,
                "",
                logprobs=self.answer.logprobs(choice, self.desk),
                finish_reason=choice.finish_reason,
                neurologic=choice.verdict,
            )
        self.choices += choices

    def _grow(self, index: int, text: str) -> Iterator[dict[str, Any]]:
        """Yield a chunk with the part of a text that was not sent yet; what was sent must stay true."""
        sent = self._sent.get(index, "")
        if not text.startswith(sent):
            raise ApiError(500, "the text is not what was sent of it so far", code="server_error")
        if len(text) > len(sent):
            if not self._sent:
                self.on_text()
            self._sent[index] = text
            yield self._chunk(index, text[len(sent) :], role=None if sent else "assistant")

    def _chunk(self, index: int, text: str, *, role: str | None = None, **fields: Any) -> dict[str, Any]:
        if self.answer.order.kind == "chat":
            delta = ({"role": role} if role else {}) | ({"content": text} if text else {})
            written: dict[str, Any] = {"delta": delta}
        else:
            written = {"text": text}
        choice = {"index": index, **written, "logprobs": None, "finish_reason": None, **fields}
        return {**self._head(), "choices": [choice]}

    def _head(self) -> dict[str, Any]:
        return self.answer.head(chunk=True) | ({"usage": None} if self.answer.order.include_usage else {})


def safe_length(text: str, stops: Sequence[str]) -> int:
    """Return how much of a text may be sent: up to the first stop string, or what may become one.

    >>> safe_length("The end", ["\\n", "ending"])
    4
    """
    length = len(text)
    for stop in stops:
        found = text.find(stop)
        if found >= 0:
            length = min(length, found)
        for size in range(1, min(len(stop), len(text) + 1)):
            if text.endswith(stop[:size]):
                length = min(length, len(text) - size)
    return length


def _event(fields: dict[str, Any]) -> bytes:
    return b"data: " + json_bytes(fields) + b"\n\n"
