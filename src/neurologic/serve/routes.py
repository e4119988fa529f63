"""Which path does what."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import Any

from fastapi import APIRouter, Request, Response

import neurologic
from neurologic.serve.answers import Answer, Choice, choices_of
from neurologic.serve.api_errors import ApiError, shutting_down, timed_out
from neurologic.serve.bodies import ChatBody, CheckBody, CompletionBody, ExplainBody
from neurologic.serve.desk import Desk
from neurologic.serve.guard import HEALTH
from neurologic.serve.hang_up import EventStream, unless_hung_up
from neurologic.serve.json_text import JsonResponse
from neurologic.serve.limits import ServerLimits
from neurologic.serve.metrics import Metrics
from neurologic.serve.orders import Order, chat_order, completion_order
from neurologic.serve.streaming import Stream

SATISFIED_HEADER = "x-neurologic-satisfied"
_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


@dataclass
class Service:
    """What the routes work with.

    desk     None until the model is loaded
    stopping whether the server finishes what runs and takes nothing new
    """

    model: str
    limits: ServerLimits
    log_prompts: bool = False
    desk: Desk | None = None
    stopping: bool = False
    started: int = field(default_factory=lambda: int(time.time()))

    def __post_init__(self) -> None:
        self.metrics = Metrics(
            lambda: 0 if self.desk is None else self.desk.running,
            lambda: 0 if self.desk is None else self.desk.waiting,
        )

    @property
    def status(self) -> str:
        if self.stopping:
            return "stopping"
        return "loading" if self.desk is None else "ready"

    def open_desk(self) -> Desk:
        """Return the desk; raise `ApiError` if it is not open."""
        if self.stopping:
            raise shutting_down()
        if self.desk is None:
            raise ApiError(503, "the model is loading", code="loading", headers={"retry-after": "2"})
        return self.desk


def make_routes(service: Service) -> APIRouter:
    """Return the routes of the API."""
    router = APIRouter()
    errors: dict[int | str, dict[str, Any]] = {
        "4XX": {"description": "What is wrong with the request, in OpenAI's shape"},
        503: {"description": "The model is loading, or the server is shutting down"},
    }

    @router.post("/v1/chat/completions", responses=errors)
    async def chat_completions(body: ChatBody, request: Request) -> Response:
        """Answer a conversation."""
        return await _generate(service, chat_order(body, service.model, service.limits), request)

    @router.post("/v1/completions", responses=errors)
    async def completions(body: CompletionBody, request: Request) -> Response:
        """Continue one or several texts."""
        return await _generate(service, completion_order(body, service.model, service.limits), request)

    @router.post("/v1/explain", responses=errors)
    async def explain(body: ExplainBody, request: Request) -> Response:
        """Show clauses, contradictions and cost of a constraint; a mistake is part of the answer."""
        work = service.open_desk().explain(body.constraint, body.banned_strings or [])
        return JsonResponse(await unless_hung_up(work, request.receive))

    @router.post("/v1/check", responses=errors)
    async def check(body: CheckBody, request: Request) -> Response:
        """Judge a finished text by a constraint."""
        desk = service.open_desk()
        work = desk.check(body.constraint, body.banned_strings or [], body.text, body.before)
        return JsonResponse(await unless_hung_up(work, request.receive))

    @router.get("/v1/models", responses=errors)
    async def models() -> Response:
        """List the one model of this server."""
        return JsonResponse({"object": "list", "data": [_model(service)]})

    @router.get("/v1/models/{name:path}", responses=errors)
    async def model(name: str) -> Response:
        """Describe a model."""
        if name != service.model:
            message = f"there is no model {name!r} here; this server has {service.model!r}"
            raise ApiError(404, message, code="model_not_found", param="model")
        return JsonResponse(_model(service))

    @router.get(HEALTH, responses=errors)
    async def health() -> Response:
        """Say whether the server is ready: 200, or 503 while it loads its model or shuts down."""
        ready = service.status == "ready"
        document = {"status": service.status, "version": neurologic.__version__}
        return JsonResponse(document, 200 if ready else 503)

    @router.get("/metrics", responses=errors)
    async def metrics() -> Response:
        """Give the server's figures to Prometheus."""
        return Response(service.metrics.page(), media_type=_PROMETHEUS)

    return router


def _model(service: Service) -> dict[str, Any]:
    return {"id": service.model, "object": "model", "created": service.started, "owned_by": "neurologic"}


async def _generate(service: Service, order: Order, request: Request) -> Response:
    details = request.state.details
    if service.log_prompts:
        details |= {"prompts": order.prompts, "constraint": {**order.constraint}}
    desk, answer = service.open_desk(), Answer(order, service.model)
    if order.stream:
        return await _stream(service, desk, answer, request)
    choices = await unless_hung_up(_choices(desk, order, service.limits.request_seconds), request.receive)
    _note(service, order, choices, details)
    satisfied = all(choice.satisfied for choice in choices)
    return JsonResponse(answer.whole(choices, desk), headers={SATISFIED_HEADER: str(satisfied).lower()})


async def _choices(desk: Desk, order: Order, seconds: float) -> list[Choice]:
    """Return all texts of an order, in the order of its prompts."""
    choices: list[Choice] = []
    try:
        async with asyncio.timeout(seconds), desk.take(order) as futures:
            for number, future in enumerate(futures):
                result = await asyncio.wrap_future(future)
                choices += await choices_of(order, number, result, desk)
    except TimeoutError:
        raise timed_out(seconds) from None
    except CancelledError:  # by the scheduler, not of this task
        raise shutting_down() from None
    return choices


async def _stream(service: Service, desk: Desk, answer: Answer, request: Request) -> Response:
    state = request.state

    def first_text() -> None:
        service.metrics.first_token(time.perf_counter() - state.started)

    stream = Stream(answer, desk, service.limits.request_seconds, first_text)
    events = stream.events()
    try:
        # What is wrong with an order shows before the first event, while a status can still say so.
        await unless_hung_up(anext(events), request.receive)
    except BaseException:
        await events.aclose()
        raise

    def end(hung_up: ApiError | None) -> None:
        error = hung_up or stream.error
        if error is not None:
            state.details |= {"status": error.status, "code": error.code}
        _note(service, answer.order, stream.choices, state.details)

    return EventStream(events, end)


def _note(service: Service, order: Order, choices: Sequence[Choice], details: dict[str, Any]) -> None:
    """Count the texts of an answer, and say something about them in the log."""
    service.metrics.wrote(choices, order.n)
    details |= {
        "texts": len(choices),
        "tokens": sum(len(choice.result.tokens) for choice in choices),
        "satisfied": all(choice.satisfied for choice in choices),
    }
    if service.log_prompts:
        details["written"] = [choice.text for choice in choices]
