"""An application on a port of the loopback address: ASGI served by uvicorn, WSGI by Werkzeug."""

from __future__ import annotations

import io
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import uvicorn

from conformance.application.exceptions import Watch
from conformance.application.loading import Unusable, is_asgi
from conformance.http.wire.listening import listen_alone
from conformance.model.raised import Raised

_LOOPBACK = "127.0.0.1"


@contextmanager
def served(app: Any, keep: Callable[[Raised], object], *, path: str = "", port: int = 0) -> Iterator[str]:
    """Serve an application from a thread; yield its address, which ends with `path`.

    `keep` gets its exceptions. Another port is taken where `port` is not free. Raises Unusable if it does not start.
    """
    watch = Watch(keep)
    # asyncio disables Nagle's algorithm only if the socket names its protocol; otherwise every answer takes 40 ms.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listen_alone(listener)
        try:
            listener.bind((_LOOPBACK, port))
        except OSError:
            listener.bind((_LOOPBACK, 0))
        serving = _asgi(app, listener, watch) if is_asgi(app) else _wsgi(app, listener, watch)
        with watch.logged(), watch.handled(app), serving:
            yield f"http://{_LOOPBACK}:{listener.getsockname()[1]}{path}"


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.settled = threading.Event()

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        with suppress(SystemExit):  # of a lifespan that failed
            super().run(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            self.settled.set()


@contextmanager
def _asgi(app: Any, listener: socket.socket, watch: Watch) -> Iterator[None]:
    config = uvicorn.Config(
        watch.asgi(app),
        http="h11",
        loop="asyncio",
        ws="none",
        interface="asgi3",
        log_config=None,
        log_level="critical",  # the report shows what it would log
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="drsi-application")
    thread.start()
    server.settled.wait()
    try:
        if not server.started:
            raise Unusable(f"The application does not start.\n{watch.startup}".rstrip())
        yield
    finally:
        server.should_exit = True
        thread.join()


def _with_lengths(app: Any) -> Any:
    """Return an application that gets a chunked body whole, as waitress and nginx pass it: Django needs its length."""

    def called(environ: dict[str, Any], start_response: Any) -> Any:
        if environ.get("HTTP_TRANSFER_ENCODING") == "chunked":
            body = environ["wsgi.input"].read()
            environ |= {"wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body))}
        return app(environ, start_response)

    return called


@contextmanager
def _wsgi(app: Any, listener: socket.socket, watch: Watch) -> Iterator[None]:
    try:
        from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler
    except ImportError:
        raise Unusable(
            "A WSGI application needs the package werkzeug, which is not installed: pip install werkzeug"
        ) from None

    class Handler(WSGIRequestHandler):
        disable_nagle_algorithm = True

        def log(self, *_: Any) -> None:
            """Log nothing: the report shows the calls."""

    class Server(ThreadedWSGIServer):
        def log(self, *_: Any) -> None:
            """Log nothing: the report shows what the calls raised."""

    listener.listen(128)
    server = Server(_LOOPBACK, listener.getsockname()[1], watch.wsgi(_with_lengths(app)), Handler, fd=listener.fileno())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="drsi-application")
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
