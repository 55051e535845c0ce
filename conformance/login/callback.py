"""The loopback address to which the browser brings the answer of an authorisation server (RFC 8252, 7.3)."""

from __future__ import annotations

import queue
from contextlib import ExitStack, suppress
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.types import Receive, Scope, Send

from conformance.application.serving import served
from conformance.model.errors import ConfigurationFault, PassingFault

_PAGE: Final = (
    "<!doctype html><title>drsi-conformance</title><p>%s You can close this page, and return to the terminal."
)
_FIELDS: Final = {
    "Content-Security-Policy": "default-src 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Connection": "close",
}


class Callback:
    """Listens on 127.0.0.1 for one answer. A context: it listens until its end, and writes no log."""

    def __init__(self, redirect_uri: str = "http://127.0.0.1:0/callback") -> None:
        """Raise ConfigurationFault if `redirect_uri` is no address of this machine; its port 0 stands for any."""
        try:
            parts = urlsplit(redirect_uri)
            self._port = parts.port or 0
        except ValueError as error:
            raise ConfigurationFault(f"--redirect-uri is no address: {error}.") from None
        if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost") or parts.query or parts.fragment:
            raise ConfigurationFault(
                f"--redirect-uri has to be an address of this machine, such as http://127.0.0.1:8765/callback; "
                f"received {redirect_uri!r:.200}."
            )
        self._host, self._path = parts.hostname, parts.path or "/"
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._serving = ExitStack()
        self.uri = ""
        """The redirect_uri, with its port."""

    def __enter__(self) -> Callback:
        """Begin to listen; raise ConfigurationFault if the port is not free."""
        address = urlsplit(self._serving.enter_context(served(self._answer, lambda _: None, port=self._port)))
        if self._port not in (0, address.port):
            self._serving.close()
            raise ConfigurationFault(
                f"Port {self._port} of 127.0.0.1 cannot be listened on.",
                remedy="Name another port with --redirect-uri, one that the client may use.",
            )
        self.uri = f"http://{self._host}:{address.port}{self._path}"
        return self

    def __exit__(self, *_: object) -> None:
        self._serving.close()

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

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the browser, as an ASGI application."""
        if scope["type"] != "http":
            return
        request = Request(scope)
        is_own = (
            f"http://{request.headers.get('host')}{scope['raw_path'].decode()}" == self.uri and request.method == "GET"
        )
        if is_own and request.query_params.keys() & {"code", "error"}:
            self._answers.put(f"?{request.url.query}")
            response = HTMLResponse(_PAGE % "The answer has arrived.", headers=_FIELDS)
        else:
            response = HTMLResponse(_PAGE % "There is nothing here.", 404, headers=_FIELDS)
        await response(scope, receive, send)
