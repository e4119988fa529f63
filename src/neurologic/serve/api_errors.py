"""Errors as OpenAI's clients expect them: a status, and a body with message, type, param and code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neurologic.errors import (
    BudgetError,
    ContradictionError,
    ExpressivityError,
    FormulaError,
    LimitError,
    ModelError,
    NeurologicError,
    PromptError,
    UnspellableError,
    VerificationError,
)
from neurologic.logic.lexer import FormulaSyntaxError

# Clients of OpenAI's repeat a request after these statuses, unless a header tells them not to.
_REPEATED = (408, 409)


class ApiError(Exception):
    """Why a request gets no text; `body` and `headers` are what the client sees.

    code     a word that programs can rely on
    param    the field to change
    details  further fields of the error, such as the line and column of a mistake
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param
        self.headers = {**({"x-should-retry": "false"} if status in _REPEATED else {}), **(headers or {})}
        self.details = dict(details or {})

    @property
    def body(self) -> dict[str, Any]:
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        if self.status == 429:
            kind = "rate_limit_error"
        fields = {"message": str(self), "type": kind, "param": self.param, "code": self.code}
        return {"error": fields | self.details}


# The first class that fits decides about code and param.
_CODES: dict[type[Exception], tuple[str, str | None]] = {
    LimitError: ("formula_too_large", "neurologic"),
    ContradictionError: ("contradiction", "neurologic"),
    UnspellableError: ("unspellable", "neurologic"),
    BudgetError: ("max_tokens_too_small", "max_tokens"),
    ExpressivityError: ("decoder_cannot_express", "neurologic.decoder"),
    FormulaError: ("invalid_formula", "neurologic"),
    PromptError: ("invalid_prompt", None),
    ModelError: ("unsupported_by_model", "neurologic.decoder"),
    ValueError: ("invalid_value", None),
    TypeError: ("invalid_value", None),
    RecursionError: ("too_deep", "neurologic"),
}


def api_error(error: Exception) -> ApiError:
    """Return the answer to an error that the library raised for a request."""
    if isinstance(error, ApiError):
        return error
    known = next((names for kind, names in _CODES.items() if isinstance(error, kind)), None)
    if known is None or isinstance(error, VerificationError):
        shown = str(error) if isinstance(error, NeurologicError) else "the server failed; its log says why"
        return ApiError(500, shown, code="server_error")
    code, param = known
    if isinstance(error, RecursionError):
        return ApiError(400, "the formula is nested too deeply; write it flatter", code=code, param=param)
    return ApiError(400, str(error), code=code, param=param, details=place_of(error))


def timed_out(seconds: float) -> ApiError:
    """Return the answer to a request that takes too long."""
    message = f"no answer within {seconds:g} s; ask for fewer tokens, beams or texts"
    return ApiError(408, message, code="timeout")


def shutting_down() -> ApiError:
    """Return the answer to a request that comes, or is still unfinished, when the server stops."""
    return ApiError(503, "the server is shutting down", code="shutting_down", headers={"retry-after": "5"})


def hung_up() -> ApiError:
    """Return the answer that nobody reads; logs and metrics count it."""
    return ApiError(499, "the client has closed the connection", code="client_closed")


def place_of(error: Exception) -> dict[str, int]:
    """Return line and column of a mistake in formula text; nothing if the error has no place."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, FormulaSyntaxError):
        cause = cause.__cause__
    return {} if cause is None else {"line": cause.line, "column": cause.column}
