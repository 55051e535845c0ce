"""The reference service on a socket."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn

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
    app = build_app(config, service_class, on_error=on_error)
    settings = uvicorn.Config(
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
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio disables Nagle's algorithm only if the socket names its protocol; otherwise every answer takes 40 ms.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listen_alone(listener)
        listener.bind((host, port))
        listener.listen()
        shown = f"[{host}]" if ":" in host else host
        # From now on the system takes connections, which wait for the first moment of the server.
        on_ready(Ready(f"http://{shown}:{listener.getsockname()[1]}{config.path_prefix}", config.tokens))
        uvicorn.Server(settings).run(sockets=[listener])
