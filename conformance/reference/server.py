"""The reference service on a socket: in this process, or in one of its own."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn

from conformance.reference.app import build_app, effective_config
from conformance.reference.bend import Bend
from conformance.reference.config import ReferenceConfig

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Ready:
    """Where a running service is, and the access tokens of its users."""

    base_url: str
    tokens: tuple[str, ...]


def find_bend(name: str) -> Bend:
    """Return the fault or twin called `name`; raise LookupError when there is none."""
    # Hundreds of classes that a service which is not bent does not need.
    from conformance.reference.faults import FAULTS
    from conformance.reference.twins import TWINS

    found = FAULTS.get(name) or TWINS.get(name)
    if found is None:
        raise LookupError(f"no fault and no twin is called {name!r}")
    return found


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
    bend: Bend | None = None,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    on_ready: Callable[[Ready], None] = lambda _ready: None,
) -> None:
    """Serve until the process is told to stop; port 0 takes a free one. Raises OSError when the address is taken."""
    config = effective_config(config, bend)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only where the socket names its protocol; with it, every answer takes 40 ms.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        shown = f"[{host}]" if family == socket.AF_INET6 else host
        base_url = f"http://{shown}:{listener.getsockname()[1]}{config.path_prefix}"
        settings = uvicorn.Config(
            build_app(config, bend),
            http="h11",  # the same parser everywhere: what is refused as bad HTTP does not hang on what is installed
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
        _Server(settings, lambda: on_ready(Ready(base_url, config.tokens))).run(sockets=[listener])
