"""The scheduler: which request runs when, in which batch, and what becomes of it.

All requests to a model pass through here. The scheduler fills the places of a batch, gives a free place to
the next request where model and decoder can do that, and otherwise starts the next batch when the last one is
done. A request that fails harms no other: if a batch breaks, its requests run again one by one. Requests with
different decoders or hooks run in batches of their own, which take turns.

`run` works through requests in the caller's thread. `Service` does so in a thread of its own, so that
requests can join while others run.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from neurologic.decoders.editing.editing_engine import EditingEngine
from neurologic.generation.job import Job
from neurologic.generation.judge import judge
from neurologic.generation.options import Options
from neurologic.generation.request import Request
from neurologic.generation.result import Result
from neurologic.models.base import TextModel
from neurologic.search.engine import Engine
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.progress import Progress

# Sort requests by length within this many batches. A larger window saves little and delays the first results.
_BATCHES_AHEAD = 4

_logger = logging.getLogger(__name__)

# Drawn texts can come out the same. To get n different texts, draw at most this many times n.
_DRAWS_PER_TEXT = 3


@dataclass(eq=False)
class Ticket:
    """A request on its way to a result.

    number   its place among the requests of a call
    job      None if the request could not be made ready; `error` says why then
    future   takes the result; a cancelled one gives up its places with the next step
    pending  searches that wait for a place
    outputs  outputs of finished searches
    """

    options: Options
    request: Request
    job: Job | None = None
    error: Exception | None = None
    number: int = 0
    future: Future[Result] = field(default_factory=Future)
    pending: deque[SearchInput] = field(default_factory=deque)
    outputs: list[SearchOutput] = field(default_factory=list)
    running: int = 0
    drawn: int = 0
    alone: bool = False
    started: float | None = None
    resolved: bool = False

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Wait for a place, as if nothing had happened yet."""
        self.pending.clear()
        self.outputs.clear()
        self.running = self.drawn = 0
        if self.job is None:
            return
        if self._wanted > 1:
            self._draw(self._wanted)
        else:
            self.pending.append(self.job.search_input)

    @property
    def _wanted(self) -> int:
        """How many texts to draw, each with a search of its own; the texts of one beam would be alike."""
        settings = self.options.settings
        return settings.num_return_sequences if settings.do_sample else 1

    def _draw(self, count: int) -> None:
        assert self.job is not None
        self.pending.extend(self.job.draws(self.drawn, count))
        self.drawn += count

    def follow(
        self, on_text: Callable[[str], object] | None, on_record: Callable[[dict[str, Any]], object] | None
    ) -> None:
        """Tell about the search while it runs: what is certain of the text, and the records of its trace."""
        if self.job is None:
            return
        if on_record is not None:
            self.job = self.job.with_recording(on_record)
        if on_text is not None:
            given = self.job.search_input
            progress = Progress(on_text, strip=not given.prompt.before)
            self.job = replace(self.job, search_input=replace(given, progress=progress))
        self.restart()

    @property
    def prompt_length(self) -> int:
        """How many tokens the prompt has."""
        return 0 if self.job is None else len(self.job.search_input.prompt.ids)

    @property
    def batch_key(self) -> Hashable:
        """Say which tickets may share a batch; one that runs alone has a key of its own."""
        return id(self) if self.alone else self.options.batch_key

    def add(self, output: SearchOutput) -> bool:
        """Take the output of a search; return whether it was the last one that the ticket needs."""
        self.outputs.append(output)
        self.running -= 1
        if self.pending or self.running:
            return False
        missing = self._wanted - len(self._joined().texts)
        if missing > 0 and self._wanted > 1 and self.drawn < _DRAWS_PER_TEXT * self._wanted:
            self._draw(min(missing, _DRAWS_PER_TEXT * self._wanted - self.drawn))
        return not self.pending

    def finish(self, model: TextModel, now: float) -> None:
        """Judge the texts that were found."""
        assert self.job is not None
        assert self.started is not None
        output = self._joined()
        result = judge(model, self.job, output)
        warnings = (
            *result.warnings,
            *self.options.lapse_warnings(output),
            *self.options.time_warnings(result),
        )
        result = replace(result, warnings=warnings, seconds=now - self.started)
        self.resolve(self.options.record_end(self.job, result))

    def fail(self, error: Exception) -> None:
        """Resolve the ticket with an error."""
        _logger.debug("a request failed", exc_info=error)
        _forget_frames(error)
        self.error = error
        self.resolve(Result("", 0.0, error=error, request=self.request.without_compiled()))

    def resolve(self, result: Result) -> None:
        """Hand the result to whoever waits for it; a cancelled future takes none."""
        if not self.resolved and self.future.set_running_or_notify_cancel():
            self.future.set_result(result)
        self.resolved = True

    def drop_if_cancelled(self) -> bool:
        """Return whether the caller has cancelled the ticket, and tell those who wait for its future."""
        if not self.future.cancelled():
            return False
        if not self.resolved:
            self.resolved = True
            self.future.set_running_or_notify_cancel()
        return True

    def _joined(self) -> SearchOutput:
        return self.outputs[0] if self._wanted == 1 else SearchOutput.joined(self.outputs)


@dataclass(eq=False)
class _Batch:
    """An engine at work, and the tickets of its inputs by their numbers."""

    engine: Engine | EditingEngine
    tickets: dict[int, Ticket] = field(default_factory=dict)


class _Source:
    """Reads tickets in windows; an error of the iterator waits until the tickets before it are done."""

    def __init__(self, tickets: Iterable[Ticket], size: int) -> None:
        self._tickets = iter(tickets)
        self._size = size
        self._error: Exception | None = None

    def read(self) -> list[Ticket]:
        window: list[Ticket] = []
        try:
            for ticket in islice(self._tickets, self._size):
                window.append(ticket)
        except Exception as error:
            self._error, self._tickets = error, iter(())
        return window

    def raise_error(self) -> None:
        if self._error is not None:
            raise self._error


class Clock:
    """Seconds on a clock that stops while the caller looks at a result."""

    def __init__(self) -> None:
        self._paused = 0.0

    def now(self) -> float:
        """Return the seconds that have passed, without the pauses."""
        return time.monotonic() - self._paused

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Stop the clock."""
        since = time.monotonic()
        try:
            yield
        finally:
            self._paused += time.monotonic() - since


class Scheduler:
    """Fills batches with the requests that wait. Not thread-safe: see `Service`."""

    def __init__(self, model: TextModel, places: int, *, isolate: bool) -> None:
        """Run at most `places` searches at a time.

        isolate  whether an error resolves the request that it belongs to, instead of being raised
        """
        self._model = model
        self._places = places
        self._isolate = isolate
        self._waiting: deque[Ticket] = deque()
        self._batches: dict[Hashable, _Batch] = {}
        self._numbers = itertools.count()
        self._clock = Clock()

    @property
    def idle(self) -> bool:
        """Whether nothing waits or runs."""
        return not self._waiting and not self._batches

    @property
    def free(self) -> int:
        """How many places are free."""
        return self._places - sum(len(batch.engine.active) for batch in self._batches.values())

    def add(self, ticket: Ticket) -> None:
        """Let a ticket wait for a place."""
        self._waiting.append(ticket)

    def run(self, tickets: Iterable[Ticket]) -> Iterator[Ticket]:
        """Work through tickets, some at a time; yield each when it is done.

        Read them as places become free. Tickets that are close to each other are sorted by the length of
        their prompts, longest first, so that those of a batch have similar lengths.
        """
        source = _Source(tickets, _BATCHES_AHEAD * self._places if self._places > 1 else 1)
        while True:
            failed: list[Ticket] = []
            if len(self._waiting) < self.free:
                window = source.read()
                failed = [ticket for ticket in window if ticket.job is None]
                ready = (ticket for ticket in window if ticket.job is not None)
                self._waiting.extend(sorted(ready, key=lambda ticket: -ticket.prompt_length))
            if self.idle and not failed:
                source.raise_error()
                return
            for ticket in failed:
                assert ticket.error is not None
                ticket.fail(ticket.error)
            for ticket in (*failed, *self.advance()):
                with self._clock.pause():
                    yield ticket

    def advance(self) -> list[Ticket]:
        """Assign free places, take every batch one step further, and return the resolved tickets."""
        self._drop_cancelled()
        resolved = self._admit()
        for key, batch in list(self._batches.items()):
            try:
                resolved += self._step(batch)
            except Exception as error:
                if not self._isolate:
                    raise
                resolved += self._recover(key, batch.tickets.values(), error)
            if not batch.engine.active:
                self._batches.pop(key, None)
        return resolved

    def _drop_cancelled(self) -> None:
        """Take cancelled tickets out of the batches; those that wait are dropped when their turn comes."""
        for batch in self._batches.values():
            gone = [number for number, ticket in batch.tickets.items() if ticket.drop_if_cancelled()]
            if gone:
                batch.engine.drop(gone)
                for number in gone:
                    del batch.tickets[number]

    def _admit(self) -> list[Ticket]:
        """Assign the free places to waiting tickets, in their order."""
        free = self.free
        joining: dict[Hashable, list[tuple[Ticket, SearchInput]]] = {}
        passed_over: list[Ticket] = []
        while free and self._waiting:
            ticket = self._waiting.popleft()
            if ticket.drop_if_cancelled():
                continue
            if ticket.alone and (self._batches or joining):  # it runs when nothing else does
                passed_over.append(ticket)
                break
            batch = self._batches.get(ticket.batch_key)
            if batch is None or batch.engine.can_admit:
                taken = [ticket.pending.popleft() for _ in range(min(free, len(ticket.pending)))]
                joining.setdefault(ticket.batch_key, []).extend((ticket, given) for given in taken)
                free -= len(taken)
            if ticket.pending:
                passed_over.append(ticket)
        self._waiting.extendleft(reversed(passed_over))
        resolved: list[Ticket] = []
        for key, searches in joining.items():
            try:
                self._join(key, searches)
            except Exception as error:
                if not self._isolate:
                    raise
                running = self._batches[key].tickets.values() if key in self._batches else ()
                resolved += self._recover(key, {*running, *(ticket for ticket, _ in searches)}, error)
        return resolved

    def _join(self, key: Hashable, searches: list[tuple[Ticket, SearchInput]]) -> None:
        """Let searches join the batch of this key, or start it."""
        batch = self._batches.get(key)
        if batch is None:
            longest = max(len(given.prompt.ids) for _, given in searches)
            batch = _Batch(searches[0][0].options.engine(longest, self._clock.now))
            self._batches[key] = batch
        numbered = [(next(self._numbers), ticket, given) for ticket, given in searches]
        for number, ticket, _ in numbered:
            batch.tickets[number] = ticket
            ticket.running += 1
            if ticket.started is None:
                ticket.started = self._clock.now()
        batch.engine.admit([(number, given) for number, _, given in numbered])

    def _step(self, batch: _Batch) -> list[Ticket]:
        """Take a batch one step further, and resolve the tickets that are done."""
        resolved: list[Ticket] = []
        for number, output in batch.engine.step():
            ticket = batch.tickets.pop(number)
            if ticket.add(output):
                self._finish(ticket)
                resolved.append(ticket)
            elif ticket.pending and ticket not in self._waiting:  # it must draw again
                self._waiting.appendleft(ticket)
        return resolved

    def _finish(self, ticket: Ticket) -> None:
        try:
            ticket.finish(self._model, self._clock.now())
        except Exception as error:
            if not self._isolate:
                raise
            ticket.fail(error)

    def _recover(self, key: Hashable, tickets: Iterable[Ticket], error: Exception) -> list[Ticket]:
        """After an error in a batch let its requests run again one by one.

        A request that was already alone fails, and is returned.
        """
        self._batches.pop(key, None)
        affected = sorted(set(tickets), key=lambda ticket: ticket.number)
        self._waiting = deque(ticket for ticket in self._waiting if ticket not in affected)
        if len(affected) == 1:
            affected[0].fail(error)
            return affected
        for ticket in affected:
            ticket.alone = True
            ticket.restart()
        self._waiting.extendleft(reversed(affected))
        return []

    def cancel_all(self) -> None:
        """Cancel every request."""
        for ticket in self._unresolved():
            ticket.future.cancel()
            ticket.drop_if_cancelled()
        self._waiting.clear()
        self._batches.clear()

    def _unresolved(self) -> set[Ticket]:
        running = (ticket for batch in self._batches.values() for ticket in batch.tickets.values())
        return {*self._waiting, *running}

    def abandon(self, error: Exception) -> None:
        """Resolve every request with an error."""
        for ticket in self._unresolved():
            if not ticket.drop_if_cancelled():
                ticket.fail(error)
        self._waiting.clear()
        self._batches.clear()


class Service:
    """Runs a scheduler in a thread of its own while there is something to do; thread-safe."""

    def __init__(self, model: TextModel, places: int = 8) -> None:
        self._scheduler = Scheduler(model, places, isolate=True)
        self._arrived: deque[Ticket] = deque()
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closing = False

    def submit(self, ticket: Ticket) -> Future[Result]:
        """Let a ticket join the requests that run; its future gets the result."""
        with self._lock:
            ticket.number = next(self._numbers)
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="neurologic scheduler")
                thread.start()  # it waits for the lock
                self._thread = thread
            self._arrived.append(ticket)
        return ticket.future

    def close(self) -> None:
        """Cancel all requests and wait until the thread has ended."""
        with self._lock:
            self._closing, thread = True, self._thread
        if thread is not None:
            thread.join()
        self._closing = False

    def _run(self) -> None:
        while True:
            with self._lock:
                while self._arrived:
                    self._scheduler.add(self._arrived.popleft())
                if self._closing:
                    self._scheduler.cancel_all()
                if self._scheduler.idle:
                    self._thread = None
                    return
            try:
                self._scheduler.advance()
            except BaseException as error:  # a bug, or SystemExit in a hook: nobody must wait for ever
                failure = RuntimeError("the search stopped unexpectedly")
                failure.__cause__ = error
                self._scheduler.abandon(failure)


def _forget_frames(error: BaseException) -> None:
    """Drop the tracebacks of an error and its causes: their frames would keep the batch in memory."""
    seen: set[int] = set()  # an error may name itself as its cause
    linked: BaseException | None = error
    while linked is not None and id(linked) not in seen:
        seen.add(id(linked))
        linked.__traceback__ = None
        linked = linked.__context__ if linked.__cause__ is None else linked.__cause__
