"""The loopback address to which the browser brings the answer of an authorisation server (RFC 8252, 7.3)."""

from __future__ import annotations

import queue
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from conformance.model.errors import ConfigurationFault, PassingFault

_SLOWEST: Final = 5.0
"""Seconds that a browser has for its request."""

_PAGE: Final = (
    b"<!doctype html><title>drsi-conformance</title><p>%s You can close this page, and return to the terminal."
)


class Callback:
    """Listens on 127.0.0.1 for one answer. A context: it listens until its end."""

    def __init__(self, redirect_uri: str = "http://127.0.0.1:0/callback") -> None:
        """Bind the port of `redirect_uri`, which 0 leaves free; raise ConfigurationFault if that is not possible."""
        try:
            parts = urlsplit(redirect_uri)
            port = parts.port or 0
        except ValueError as error:
            raise ConfigurationFault(f"--redirect-uri is no address: {error}.") from None
        if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost") or parts.query or parts.fragment:
            raise ConfigurationFault(
                f"--redirect-uri has to be an address of this machine, such as http://127.0.0.1:8765/callback; "
                f"received {redirect_uri!r:.200}."
            )
        self._path = parts.path or "/"
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        except OSError as error:
            raise ConfigurationFault(
                f"Port {port} of 127.0.0.1 cannot be listened on: {error.strerror}.",
                remedy="Name another port with --redirect-uri, one that the client may use.",
            ) from None
        self._server.daemon_threads = True
        self._origin = f"{parts.hostname}:{self._server.server_port}"
        self.uri = f"http://{self._origin}{self._path}"
        """The redirect_uri."""
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Callback:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def take(self, address: str) -> None:
        """Take an answer that a person pasted: the address to which the browser was sent."""
        self._answers.put(address.strip())

    def wait(self, seconds: float) -> dict[str, str]:
        """Return the parameters of the answer; raise PassingFault if none comes in time."""
        with suppress(queue.Empty):
            return dict(parse_qsl(urlsplit(self._answers.get(timeout=seconds)).query, keep_blank_values=True))
        raise PassingFault(
            f"No answer of the browser came within {seconds:g} s.",
            remedy="Log in again, within the time of --wait. Where no browser reaches this machine, use --print-url, "
            "and paste the address that the browser is sent to; or use --grant device.",
        )

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        callback = self

        class Handler(BaseHTTPRequestHandler):
            """Answers the browser. It writes no log, because the address contains the code."""

            timeout = _SLOWEST

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                names = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
                own = parts.path == callback._path and self.headers.get("Host") == callback._origin
                if not own or not names & {"code", "error"}:
                    self._say(404, b"There is nothing here.")
                    return
                self._say(200, b"The answer has arrived.")
                callback._answers.put(self.path)

            def _say(self, status: int, words: bytes) -> None:
                page = _PAGE % words
                self.send_response_only(status)
                for name, value in (
                    ("Content-Type", "text/html; charset=utf-8"),
                    ("Content-Length", str(len(page))),
                    ("Content-Security-Policy", "default-src 'none'"),
                    ("Referrer-Policy", "no-referrer"),
                    ("Cache-Control", "no-store"),
                    ("Connection", "close"),
                ):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler
