"""The playground: a page to try formulas in, at `/`.

All its files are in `static`. Nothing comes from elsewhere, and the browser is told to allow nothing else.
"""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Message, Receive, Scope, Send

from neurologic import picture

_STATIC = Path(__file__).parent / "static"
# Scripts, styles and requests of this server only; no frames around the page.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {"content-security-policy": POLICY, "cache-control": "no-cache"}


class _Files(StaticFiles):
    """Static files under the policy of the page."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = ((name.encode(), value.encode()) for name, value in _HEADERS.items())
                message["headers"] = [*message["headers"], *own]
            await send(message)

        await super().__call__(scope, receive, with_policy)


def add_routes(api: FastAPI) -> None:
    """Serve the page at `/` and its files below `/playground`, with those that draw a search."""

    @api.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(_STATIC / "index.html", headers=_HEADERS)

    api.mount("/playground/picture", _Files(directory=picture.STATIC), name="picture")
    api.mount("/playground", _Files(directory=_STATIC), name="playground")
