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
from neurologic.serve.limits import ServerLimits
from neurologic.serve.protocol import protocol_class
from neurologic.serve.routes import Service

# Beside connections, a process needs files for the model and for its libraries.
_OTHER_FILES = 256
_KEEP_ALIVE_SECONDS = 30
# After the last text is due, time for its client to read it.
_LAST_SECONDS = 5
DEFAULT_LIMITS = ServerLimits()
EVERYBODY = Access()


class Server(uvicorn.Server):
    """Says when it listens, and tells the service when it stops.

    port     where it listens, once it does
    failure  why the model could not be loaded
    """

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self.service = service
        self.port = config.port
        self.failure: Exception | None = None

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup()
        if self.started:
            host, self.port = self.servers[0].sockets[0].getsockname()[:2]
            logs.say("listening", host=host, port=self.port, model=self.service.model)

    async def shutdown(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        self.service.stopping = True
        logs.say("stopping", running=0 if self.service.desk is None else self.service.desk.running)
        await super().shutdown()


def serve(server: Server) -> None:
    """Run a server until SIGTERM or SIGINT; raise if its model cannot be loaded."""
    logs.start()
    _allow_files(server.service.limits.connections + _OTHER_FILES)
    # uvicorn stops for SIGTERM, then sends it once more; a server that stopped as it should ends with code 0.
    signal.signal(signal.SIGTERM, lambda *_: None)
    server.run()
    if server.failure is not None:
        raise server.failure


def make_server(
    load: Callable[[], ConstrainedModel],
    *,
    model: str,
    host: str = "127.0.0.1",
    port: int = 0,
    places: int = 8,
    limits: ServerLimits = DEFAULT_LIMITS,
    access: Access = EVERYBODY,
    log_prompts: bool = False,
) -> Server:
    """Return a server that does not run yet.

    load    loads the model, in a thread
    model   its name for clients
    port    0 takes a free one
    places  how many texts to write at a time
    """
    service = Service(model, limits, log_prompts)

    async def open_desk() -> None:
        try:
            lm = await asyncio.to_thread(_warm, load)
            service.desk = Desk(lm, limits, places)
            logs.say("ready", model=model)
        except Exception as error:
            server.failure = error
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
    server = Server(config, service)
    return server


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
