"""The application: routes, errors in OpenAI's shape, the playground, and the guard around all of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp

import neurologic
from neurologic.serve import playground
from neurologic.serve.api_errors import ApiError
from neurologic.serve.bodies import ChatBody, CheckBody, CompletionBody, ExplainBody, unknown_field_advice
from neurologic.serve.guard import Guard, Keys
from neurologic.serve.json_text import JsonResponse
from neurologic.serve.routes import SATISFIED_HEADER, Service, make_routes

_BODIES: Mapping[str, type[BaseModel]] = {
    "/v1/chat/completions": ChatBody,
    "/v1/completions": CompletionBody,
    "/v1/explain": ExplainBody,
    "/v1/check": CheckBody,
}
_NAMES = {404: "not_found", 405: "method_not_allowed"}
_PATH_SHOWN = 100

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


@dataclass(frozen=True)
class Access:
    """Who may talk to the server.

    keys     keys that clients must show; none: everybody may
    hosts    names by which clients may call the server; none: any
    origins  web pages of other servers that may use it; none: no other
    """

    keys: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()


def make_app(service: Service, access: Access, lifespan: Lifespan | None = None) -> ASGIApp:
    """Return the application for a service; `lifespan` loads the model, and closes it at the end."""
    api = FastAPI(
        title="neurologic",
        version=neurologic.__version__,
        description="OpenAI's HTTP API for texts that obey formulas",
        docs_url=None,  # they fetch scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    api.include_router(make_routes(service))
    playground.add_routes(api)
    api.add_exception_handler(ApiError, _api_error)
    api.add_exception_handler(RequestValidationError, _invalid_body)
    api.add_exception_handler(HTTPException, _http_error)
    api.add_exception_handler(Exception, _failure)
    guarded = Guard(
        api,
        limits=service.limits,
        keys=Keys(access.keys),
        hosts=access.hosts,
        metrics=service.metrics,
        routes={*_BODIES, "/", "/health", "/metrics", "/v1/models"},
    )
    if not access.origins:
        return guarded
    # Around the guard: pages of these origins may read why it refuses a request.
    return CORSMiddleware(
        guarded,
        allow_origins=access.origins,
        allow_methods=["GET", "POST"],
        allow_headers=["authorization", "content-type"],
        expose_headers=[SATISFIED_HEADER, "x-request-id", "retry-after"],
    )


async def _api_error(request: Request, error: Any) -> Response:
    request.state.details["code"] = error.code
    return JsonResponse(error.body, error.status, headers=error.headers)


async def _invalid_body(request: Request, error: Any) -> Response:
    return await _api_error(request, invalid_body(error.errors(), _BODIES.get(request.url.path)))


async def _http_error(request: Request, error: Any) -> Response:
    path = request.url.path[:_PATH_SHOWN]
    messages = {
        404: f"there is no {path} here",
        405: f"{path} does not take {request.method}",
    }
    message, code = messages.get(error.status_code, str(error.detail)), _NAMES.get(error.status_code)
    known = ApiError(error.status_code, message, code=code or "invalid_request", headers=error.headers)
    return await _api_error(request, known)


async def _failure(request: Request, error: Any) -> Response:
    known = ApiError(500, "the server failed; its log says why", code="server_error")
    return await _api_error(request, known)


def invalid_body(problems: Sequence[Mapping[str, Any]], body: type[BaseModel] | None) -> ApiError:
    """Return the answer to a body with these problems; it tells the first, where it is, and what to write."""
    problem = problems[0]
    path = [part for part in problem["loc"] if part != "body"]
    where = ".".join(map(str, path))
    if problem["type"] == "extra_forbidden":
        message = f"{where}: this field is not known{unknown_field_advice(path, body)}"
        return ApiError(400, message, code="unknown_field", param=where)
    if problem["type"] == "json_invalid":
        message = f"the body is not JSON: {problem.get('ctx', {}).get('error', problem['msg'])}"
        return ApiError(400, message, code="invalid_json")
    if not path:
        message = "the body must be a JSON object, with the header Content-Type: application/json"
        return ApiError(400, message, code="invalid_json")
    message = f"{where}: {problem['msg'][:1].lower()}{problem['msg'][1:]}"
    code = "missing_field" if problem["type"] == "missing" else "invalid_value"
    return ApiError(400, message, code=code, param=where)
