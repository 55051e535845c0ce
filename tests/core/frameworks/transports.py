"""Transports that call a WSGI or ASGI application as a server does, without a socket."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from email.utils import formatdate
from typing import Any
from urllib.parse import unquote_to_bytes

import httpx


def _answer(response: httpx.Response, content: bytes) -> httpx.Response:
    """Return the response with its body read and dated, as every server dates it."""
    headers = httpx.Headers(response.headers)
    headers.setdefault("Date", formatdate(usegmt=True))
    return httpx.Response(response.status_code, headers=headers, stream=httpx.ByteStream(content))


class WsgiTransport(httpx.BaseTransport):
    """Calls a WSGI application; threads may call it at the same time."""

    def __init__(self, app: Callable[..., Any]) -> None:
        self._app = app

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        path = unquote_to_bytes(request.url.raw_path.partition(b"?")[0]).decode("latin-1")
        # httpx unquotes the path twice and keeps the last of two headers; servers unquote it once and join headers.
        # It takes ASCII only; servers read each byte as a letter.
        headers = httpx.Headers(request.headers.raw, encoding="latin-1")
        joined = {f"HTTP_{name.upper().replace('-', '_')}": headers[name] for name in headers}
        del joined["HTTP_HOST"]
        # A chunked body has no length, and WSGI applications read by it: servers such as waitress buffer such a body.
        for name in ("HTTP_CONTENT_TYPE", "HTTP_CONTENT_LENGTH"):
            joined.pop(name, None)
        length = str(len(request.read()))

        def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
            environ = {**environ, **joined, "PATH_INFO": path, "CONTENT_LENGTH": length}
            environ.pop("HTTP_TRANSFER_ENCODING", None)
            return self._app(environ, start_response)

        plain = [(name, value) for name, value in request.headers.raw if value.isascii()]
        called = httpx.Request(request.method, request.url, headers=plain, content=request.content)
        response = httpx.WSGITransport(app, raise_app_exceptions=False).handle_request(called)
        content = response.read()
        response.close()
        return _answer(response, content)


class AsgiTransport(httpx.BaseTransport):
    """Calls an ASGI application in one event loop, as one worker process has; threads may call at the same time."""

    def __init__(self, app: Callable[..., Any]) -> None:
        self._inner = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        request.read()
        return asyncio.run_coroutine_threadsafe(self._call(request), self._loop).result()

    async def _call(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        return _answer(response, await response.aread())

    def close(self) -> None:
        """End the event loop; no call may be under way."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()
