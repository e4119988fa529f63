"""Run the server: load the model while `/health` already answers, serve, and stop without losing a text."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import signal
from collections.abc import AsyncIterator, Callable

import uvicorn
from fastapi import FastAPI

from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.serve import logs
from neurologic.serve.app import Access, make_app
from neurologic.serve.desk import Desk
from neurologic.serve.limits import Limits
from neurologic.serve.protocol import protocol_class
from neurologic.serve.routes import Service

# Beside connections, a process needs files for the model and for its libraries.
_OTHER_FILES = 256
_KEEP_ALIVE_SECONDS = 30
# After the last text is due, time for its client to read it.
_LAST_SECONDS = 5


class _Server(uvicorn.Server):
    """Says when it listens, and tells the service when it stops."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup()
        if self.started:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            logs.say("listening", host=host, port=port, model=self._service.model)

    async def shutdown(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        self._service.stopping = True
        logs.say("stopping", running=0 if self._service.desk is None else self._service.desk.running)
        await super().shutdown()


def serve(
    load: Callable[[], ConstrainedModel],
    *,
    model: str,
    host: str,
    port: int,
    places: int,
    limits: Limits,
    access: Access,
    log_prompts: bool = False,
) -> None:
    """Serve a model until SIGTERM or SIGINT; raise if it cannot be loaded.

    load    loads the model, in a thread
    model   its name for clients
    places  how many texts to write at a time
    """
    logs.start()
    _allow_files(limits.connections + _OTHER_FILES)
    service = Service(model, limits, log_prompts)
    failures: list[BaseException] = []

    async def open_desk() -> None:
        try:
            lm = await asyncio.to_thread(_warm, load)
            service.desk = Desk(lm, limits, places)
            logs.say("ready", model=model)
        except Exception as error:
            failures.append(error)
            server.should_exit = True

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        opening = asyncio.create_task(open_desk())
        try:
            yield
        finally:
            opening.cancel()
            if service.desk is not None:
                await asyncio.to_thread(service.desk.close)

    config = uvicorn.Config(
        make_app(service, access, lifespan),
        host=host,
        port=port,
        http=protocol_class(limits),
        ws="none",
        h11_max_incomplete_event_size=limits.header_bytes,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=int(limits.request_seconds) + _LAST_SECONDS,
        log_config=None,
        access_log=False,
        server_header=False,
    )
    server = _Server(config, service)
    # uvicorn stops for SIGTERM, then sends it once more; a server that stopped as it should ends with code 0.
    signal.signal(signal.SIGTERM, lambda *_: None)
    server.run()
    if failures:
        raise failures[0]


def _warm(load: Callable[[], ConstrainedModel]) -> ConstrainedModel:
    """Load a model and let it write a little, so that no client waits for what is made only once."""
    lm = load()
    lm.generate("a", "a | !b", max_new_tokens=8, num_beams=2, hint="off", on_error="return")
    return lm


def _allow_files(count: int) -> None:
    """Raise the limit of open files, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
