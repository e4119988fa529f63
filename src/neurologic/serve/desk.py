"""The desk: where orders from the event loop meet the model's one scheduler.

It reads, compiles and tokenizes in threads, hands tickets to `lm.submit`, counts who waits, and takes back
what nobody wants any more. Order, batches and failures are the scheduler's business.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from neurologic.generation.analysis import analyse
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.generation.request import Request
from neurologic.generation.result import Result, highlights
from neurologic.generation.scheduler import Ticket
from neurologic.limits import Limits, limits_of
from neurologic.logic import ClauseReport, Formula, WishReport, check, check_wishes
from neurologic.picture import GrowingSearch
from neurologic.serve.api_errors import ApiError, api_error, place_of
from neurologic.serve.constraints import read_constraint
from neurologic.serve.limits import ServerLimits
from neurologic.serve.orders import Order

# Threads that compile for texts, and as many that explain and check: neither work must hold up the other.
_THREADS = 2
# Weight of the last text in the mean time per text, by which a refused client learns when to come back.
_NEWEST = 0.2
_LONGEST_RETRY = 60

T = TypeVar("T")
# Takes the number of a prompt, and the beginning of its text that is certain, or a record of its trace.
Tell = Callable[[int, Any], object]


class Workers:
    """Threads for work that must not hold up the event loop; whoever waits for one waits a limited time.

    A thread cannot be stopped: it goes on, and keeps its place, after nobody waits for it any more. The size
    limits of `constraints` bound how long that takes.
    """

    def __init__(self, name: str, limits: Limits) -> None:
        self._limits = limits
        self._seconds = limits.compile_seconds
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix=f"neurologic {name}")
        self._free = asyncio.Semaphore(_THREADS)
        self.waiting = 0

    async def run(self, work: Callable[[], T]) -> T:
        """Run something in a thread; raise `ApiError` if it takes too long, or if the request is wrong."""
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
        running = asyncio.get_running_loop().run_in_executor(self._pool, self._limited, work)
        running.add_done_callback(self._done)
        done, _ = await asyncio.wait({running}, timeout=self._seconds)
        if not done:
            message = (
                f"reading and compiling takes more than {self._seconds:g} s; make formula and prompt smaller"
            )
            raise ApiError(400, message, code="too_expensive")
        try:
            return running.result()
        except Exception as error:
            known = api_error(error)
            if known.status >= 500:
                raise  # the guard logs it
            raise known from error

    def _limited(self, work: Callable[[], T]) -> T:
        with limits_of(self._limits):
            return work()

    def _done(self, running: asyncio.Future[Any]) -> None:
        self._free.release()
        if not running.cancelled():
            running.exception()  # nobody may be left to look at it

    def close(self) -> None:
        """Let the threads end; do not wait for them."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Desk:
    """Takes orders for one model. All methods belong to the event loop."""

    def __init__(self, lm: ConstrainedModel, limits: ServerLimits, places: int) -> None:
        """`places` is how many texts to write at a time."""
        self._lm = lm
        self._limits = limits
        self._places = places
        self._taken = 0
        self._tickets: set[Ticket] = set()
        self._compilers = Workers("compiler", limits.library)
        self._explainers = Workers("explainer", limits.library)
        self._seconds_per_text = 1.0
        self.pieces = lm.compile(None).vocabulary.pieces
        self.end_ids = lm.compile(None).vocabulary.end_ids

    @property
    def running(self) -> int:
        """How many prompts are being answered now."""
        return sum(ticket.started is not None for ticket in self._tickets)

    @property
    def waiting(self) -> int:
        """How many prompts wait: to be compiled, or for a place."""
        return self._taken - self.running

    @asynccontextmanager
    async def take(self, order: Order, tell: Tell | None = None) -> AsyncIterator[list[Future[Result]]]:
        """Let an order join those that run; give a future per prompt. Leaving cancels what is not done.

        tell  learns, in another thread, the beginning of each text as soon as it is certain, and the records
              of its trace if the order asks for a live picture
        """
        count = len(order.prompts)
        self._require_room(count)
        self._taken += count
        tickets: list[Ticket] = []
        try:
            tickets = await self._compilers.run(lambda: self._prepared(order, tell))
            self._tickets.update(tickets)
            yield [self._lm.submit(ticket) for ticket in tickets]
        finally:
            for ticket in tickets:
                ticket.future.cancel()
            self._tickets.difference_update(tickets)
            self._taken -= count

    async def explain(self, constraint: dict[str, Any], banned_strings: list[str]) -> dict[str, Any]:
        """Return the analysis of a constraint; a mistake in it is part of the analysis, with its place."""

        def work() -> dict[str, Any]:
            try:
                formula = read_constraint(constraint, banned_strings, self._limits)
                if formula is None:
                    return {"valid": True, "formula": None, "clauses": [], "contradiction": None}
                analysis = analyse(formula, self._lm.compile)
            except Exception as error:
                known = api_error(error)
                if known.code not in ("invalid_formula", "formula_too_large", "too_deep"):
                    raise
                return {"valid": False, "error": {"message": str(known), **place_of(error)}}
            return {"valid": analysis.satisfiable, **analysis.to_json()}

        return await self._explained(work)

    async def check(
        self, constraint: dict[str, Any], banned_strings: list[str], text: str, before: str
    ) -> dict[str, Any]:
        """Judge a text by a constraint."""

        def work() -> dict[str, Any]:
            formula = read_constraint(constraint, banned_strings, self._limits)
            reports, wishes = check(formula, text, before), check_wishes(formula, text, before)
            return {
                "satisfied": all(report.satisfied for report in reports),
                "unmet": [report.text for report in reports if not report.satisfied],
                "clauses": [report.to_json() for report in reports],
                **({"wishes": [wish.to_json() for wish in wishes]} if wishes else {}),
            }

        return await self._explained(work)

    async def judge_again(
        self, formula: Formula, text: str, before: str
    ) -> tuple[tuple[ClauseReport, ...], tuple[WishReport, ...]]:
        """Return the reports on clauses and wishes for a text that was shortened after its search."""
        return await self._explainers.run(
            lambda: (tuple(check(formula, text, before)), check_wishes(formula, text, before))
        )

    async def highlights(self, text: str, reports: Sequence[ClauseReport], before: str) -> list[list[Any]]:
        """Return where the phrases of the clauses are: from, to, and whether they are forbidden."""
        return await self._explainers.run(lambda: [list(part) for part in highlights(text, reports, before)])

    async def drawn_on(self, growing: GrowingSearch, record: dict[str, Any]) -> dict[str, Any] | None:
        """Return what a record of a trace adds to the picture of its search."""
        return await self._explainers.run(lambda: growing.add(record))

    async def drawn(self, result: Result) -> dict[str, Any]:
        """Return the data of the picture of a search."""
        return await self._explainers.run(lambda: result.picture().to_dict())

    def note_seconds(self, seconds: float) -> None:
        """Learn how long a text took."""
        self._seconds_per_text += _NEWEST * (seconds - self._seconds_per_text)

    def close(self) -> None:
        """Cancel what is left, and wait until the search has stopped."""
        self._compilers.close()
        self._explainers.close()
        self._lm.close()

    async def _explained(self, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        if self._explainers.waiting >= self._limits.waiting:
            raise self._busy()
        return await self._explainers.run(work)

    def _require_room(self, count: int) -> None:
        """Refuse an order that would have to wait behind too many others."""
        if self._taken and self._taken + count > self._places + self._limits.waiting:
            raise self._busy()

    def _busy(self) -> ApiError:
        ahead = max(1, self.waiting) * self._seconds_per_text / self._places
        seconds = max(1, min(_LONGEST_RETRY, round(ahead)))
        return ApiError(
            429,
            f"{self.waiting} prompts wait already; try again in {seconds} s",
            code="too_many_waiting",
            headers={"retry-after": str(seconds)},
        )

    def _prepared(self, order: Order, tell: Tell | None) -> list[Ticket]:
        """Read the constraint and make a ticket per prompt; in a thread."""
        formula = read_constraint(order.constraint, order.banned_strings, self._limits)
        return [
            self._ticket(order, number, formula, None if tell is None else _for_prompt(tell, number))
            for number in range(len(order.prompts))
        ]

    def _ticket(
        self, order: Order, number: int, formula: Formula | None, tell: Callable[[Any], object] | None
    ) -> Ticket:
        request = Request(order.prompts[number], formula, order.raw, plain_prompt=order.plain_prompt)
        ticket = self._lm.prepare(
            request,
            on_text=tell,
            on_record=tell if order.live else None,
            batch_size=self._places,
            **order.options,
        )
        if ticket.error is not None:
            raise ticket.error
        if ticket.prompt_length > self._limits.prompt_tokens:
            raise ApiError(
                400,
                f"the prompt has {ticket.prompt_length} tokens; this server takes "
                f"{self._limits.prompt_tokens}",
                code="context_length_exceeded",
                param="messages" if order.kind == "chat" else "prompt",
            )
        return ticket


def _for_prompt(tell: Tell, number: int) -> Callable[[Any], object]:
    return lambda news: tell(number, news)
