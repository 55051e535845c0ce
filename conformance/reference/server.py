"""The reference service on a socket: in this process, or in one of its own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from starlette.applications import Starlette

from conformance.http.wire.listening import listen_alone
from conformance.reference.app import OnError, build_app
from conformance.reference.config import ReferenceConfig
from conformance.reference.service import Service

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Ready:
    """The address of a running service, and the access tokens of its users."""

    base_url: str
    tokens: tuple[str, ...]


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()


def serve(
    config: ReferenceConfig | None = None,
    service_class: type[Service] = Service,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    on_ready: Callable[[Ready], None] = lambda _ready: None,
    on_error: OnError = lambda _: None,
) -> None:
    """Serve until a signal ends the process; port 0 takes a free one. Raises OSError when the address is taken.

    `on_error` is as for `build_app`.
    """
    config = config or ReferenceConfig()
    with _listener(host, port) as listener:
        ready = _ready(config, host, listener)
        settings = _settings(build_app(config, service_class, on_error=on_error))
        _Server(settings, lambda: on_ready(ready)).run(sockets=[listener])


@contextmanager
def listening(config: ReferenceConfig, service_class: type[Service] = Service) -> Iterator[Ready]:
    """Serve from a thread on a free port of this machine, as long as the context lasts."""
    started = threading.Event()
    with _listener(LOOPBACK, 0) as listener:
        server = _Server(_settings(build_app(config, service_class)), started.set)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="drsi-service")
        thread.start()
        started.wait()
        try:
            yield _ready(config, LOOPBACK, listener)
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def _listener(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio disables Nagle's algorithm only if the socket names its protocol; otherwise every answer takes 40 ms.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listen_alone(listener)
        listener.bind((host, port))
        yield listener


def _ready(config: ReferenceConfig, host: str, listener: socket.socket) -> Ready:
    shown = f"[{host}]" if ":" in host else host
    return Ready(f"http://{shown}:{listener.getsockname()[1]}{config.path_prefix}", config.tokens)


def _settings(app: Starlette) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="h11",  # uvicorn takes another parser where one is installed, which refuses other requests
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,  # the service writes Date by its own clock
        timeout_graceful_shutdown=1,
    )
