"""Drive the reference service without sockets, so that hundreds of faulty services can be checked fast."""

from __future__ import annotations

import asyncio
import selectors
import types
from collections.abc import Callable, Coroutine, Generator
from typing import Any
from urllib.parse import unquote

import httpx
from starlette.types import ASGIApp

from conformance.model.exchange import ErrorKind, TransportError
from conformance.model.identity import cut
from conformance.reference.call import NO_ANSWER

_Answer = tuple[int, list[tuple[bytes, bytes]], bytes]


class _SkippingSelector(selectors.DefaultSelector):
    """Waits for a timer only if another call could use the time."""

    def __init__(self, alone: Callable[[], bool]) -> None:
        super().__init__()
        self._alone = alone
        self.skipped = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout > 0 and self._alone():
            self.skipped += timeout
            timeout = 0
        return super().select(timeout)


class SkippingLoop(asyncio.SelectorEventLoop):
    """An event loop in which timers take no time while `alone` returns true."""

    def __init__(self, alone: Callable[[], bool]) -> None:
        self._skipping = _SkippingSelector(alone)
        super().__init__(self._skipping)

    def time(self) -> float:
        """Return the time, including the skipped time."""
        return super().time() + self._skipping.skipped


class InProcessTransport(httpx.BaseTransport):
    """A transport for httpx.Client that calls an ASGI application directly.

    May be used from several threads at a time. No two calls share an event loop, so a fault that waits really lets
    another call overtake it. The response is not read yet, as httpx expects it of a transport.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        under_way: Callable[[], None] = lambda: None,
        alone: Callable[[], bool] = lambda: False,
    ) -> None:
        """Drive `app`; `under_way` is called in each call that waits for something, or is over.

        While `alone` returns true, no other call can be in progress, and sleeping in the application takes no time.
        """
        self._app = app
        self._under_way = under_way
        self._alone = alone
        self._idle: list[asyncio.AbstractEventLoop] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request; raise what the application raises, unless it has answered before."""
        body = request.read()
        try:
            loop = self._idle.pop()
        except IndexError:
            loop = SkippingLoop(self._alone)
        try:
            status, headers, content = self._run(self._call(request, body), loop)
        finally:
            self._idle.append(loop)
        if status == NO_ANSWER:
            raise TransportError(ErrorKind.CLOSED, "the connection was closed before any byte of an answer")
        if any(name.lower() == b"content-encoding" for name, _ in headers):
            # As the transport with a network, undo the coding, and keep no length of what was undone.
            try:
                content = httpx.Response(200, headers=headers, content=content).content
            except httpx.DecodingError as error:
                raise TransportError(ErrorKind.CODING, f"the body is not in its content coding: {error}") from error
            undone = (b"content-encoding", b"content-length")
            headers = [(name, value) for name, value in headers if name.lower() not in undone]
        if request.method == "HEAD":
            content = b""
        return httpx.Response(
            status,
            headers=headers,
            stream=httpx.ByteStream(content),
            extensions={"http_version": b"HTTP/1.1"},
        )

    def _run(self, call: Coroutine[Any, None, _Answer], loop: asyncio.AbstractEventLoop) -> _Answer:
        """Make a call, with the event loop only from its first wait on: few calls wait, and the loop takes a fourth."""
        asyncio._set_running_loop(loop)
        try:
            awaited = call.send(None)
        except StopIteration as over:
            answer: _Answer = over.value
            return answer
        finally:
            asyncio._set_running_loop(None)
            self._under_way()
        return loop.run_until_complete(_rest_of(call, awaited))

    async def _call(self, request: httpx.Request, body: bytes) -> _Answer:
        raw_path, _, query = request.url.raw_path.partition(b"?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": request.url.scheme,
            "path": unquote(raw_path.decode("ascii")),
            "raw_path": raw_path,
            "query_string": query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": ("127.0.0.1", 0),
            "server": (request.url.host, request.url.port),
        }
        pieces = cut(body, request.extensions.get("pieces", 1)) or [b""]
        incoming: list[dict[str, Any]] = [
            {"type": "http.request", "body": piece, "more_body": place < len(pieces)}
            for place, piece in enumerate(pieces, start=1)
        ][::-1]
        start: dict[str, Any] = {}
        content: list[bytes] = []

        async def receive() -> dict[str, Any]:
            return incoming.pop() if incoming else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                content.append(message.get("body", b""))

        try:
            await self._app(scope, receive, send)
        except Exception:
            if not start:
                raise
        return start["status"], list(start["headers"]), b"".join(content)

    def close(self) -> None:
        """Close the event loops; no call may be under way."""
        while self._idle:
            self._idle.pop().close()


async def _rest_of(call: Coroutine[Any, None, _Answer], awaited: Any) -> _Answer:
    return await _resumed(call, awaited)


@types.coroutine
def _resumed(call: Coroutine[Any, None, _Answer], awaited: Any) -> Generator[Any, None, _Answer]:
    yield awaited
    answer: _Answer = yield from call
    return answer
