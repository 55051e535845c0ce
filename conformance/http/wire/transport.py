"""The transport of every exchange: one request, within limits, with a precise error."""

from __future__ import annotations

import re
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import IO, Any

import httpcore
import httpx

from conformance.http.wire.connections import PATIENCE, IdleConnections
from conformance.http.wire.decoding import Decoder, coding_of
from conformance.http.wire.exchange_limits import Limits, Meter, metered
from conformance.http.wire.network import BoundedNetwork
from conformance.http.wire.proxies import Proxies
from conformance.model.exchange import ErrorKind, Headers, TransportError
from conformance.model.identity import cut
from conformance.model.run_record import CheckedTarget
from conformance.model.target import Proxy
from conformance.model.text import shorten

_IDLE_SECONDS = 1.5
"""Shorter than common idle times of servers, so that few connections close just when they are used again."""

_LONGEST_FAREWELL = 0.01
"""Seconds in which a target that closes the connection after a response does so."""

_BETWEEN_PIECES = 0.01
"""Seconds between the pieces of a request, so that they arrive apart."""

_ENOUGH_TO_TRUST = 2
"""Responses with one status after which the connection stayed open, before it is expected to stay."""


class BoundedTransport(httpx.BaseTransport):
    """HTTP/1.1 over TCP or TLS, shared by any number of threads. It never repeats a request.

    httpx's own timeouts have no effect. While `close_after_each` is true, each request
    says `Connection: close`; it may be set at any time. A request that says so has a new connection for itself. Calls
    other than GET say so until the target was seen to answer a second request on a connection: sent on one that the
    target is about to close, they would be lost with an unknown outcome. An exchange that waits on
    a new connection has the idle ones closed; once the target was seen to serve one at a time, none stays open.
    """

    def __init__(
        self,
        *,
        bounds: Limits,
        verify: ssl.SSLContext | None = None,
        proxies: Proxies | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """`verify` is the context of TLS connections; by default the usual authorities are trusted.

        Without `proxies` every call goes to its host itself. After `patience` seconds without an answer on a new
        connection, the idle ones are closed.
        """
        self.close_after_each = False
        self._bounds = bounds
        self._verify = verify
        self._answered_again = False
        """Whether the target answered a request on a connection that had served another one."""
        self.peers = CheckedTarget()
        """The addresses and the TLS connection that the requests went to, without those of proxies."""
        self._network = BoundedNetwork(self.peers)
        # Twice, and again twice as long, before the time to the first byte is over.
        self._idle = IdleConnections(min(patience, bounds.first_byte / 4))
        self._proxies = proxies
        self._pools: dict[tuple[str, bool, Proxy | None], httpcore.ConnectionPool] = {}
        """By scheme, whether the connections serve one request each, and proxy."""
        self._lock = threading.Lock()
        self._stayed_after: Counter[int] = Counter()
        """How often the target was seen to keep the connection after a creation refused with a status."""

    @property
    def one_at_a_time(self) -> bool:
        """Whether the target was seen to serve one connection at a time."""
        return self._idle.one_at_a_time

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer, its body decoded and ready to be read.

        The `extensions` of the request may hold `at_most` and `given_up`, as Meter takes them. Those of the answer are
        `raw_headers`, the header fields as received (pairs of str, Latin-1), `http_version` and `reason_phrase`
        (bytes), and `after_refused_body`, whether the connection carried a refused body just before. The headers of the
        answer lack Content-Encoding, and Content-Length where a coding was undone.

        Raises TransportError.
        """
        closes = self.close_after_each or self.one_at_a_time
        if closes or not (self._answered_again or request.method == "GET"):
            request.headers["Connection"] = "close"
        proxy = self._proxy_of(request.url)
        asked = {name: request.extensions[name] for name in ("at_most", "given_up") if name in request.extensions}
        with metered(Meter(self._bounds, **asked, idle=self._idle)) as meter:
            try:
                answer = self._pool_of(request, proxy).handle_request(_for_the_pool(request))
                fields = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.headers)
                if proxy is not None and request.url.scheme == "http" and _is_of_the_proxy(answer.status, fields):
                    answer.close()
                    raise TransportError(ErrorKind.PROXY, f"it answered {answer.status} itself")
                coding = coding_of(fields)
                decoder = Decoder(coding, self._bounds.decoded)
                try:
                    meter.begin_body(fields)
                    for chunk in answer.iter_stream():
                        decoder.feed(chunk)
                    self._answered_again = self._answered_again or meter.reused
                    how = {"raw_headers": fields, "after_refused_body": meter.after_refused_body}
                    return _for_httpx(answer, decoder.finish(), coding, how)
                except BaseException:
                    decoder.close()
                    meter.drop()
                    raise
                finally:
                    meter.note_refused_body(refused=answer.status >= 400 and bool(request.content))
                    if self._is_left(request, answer.status, meter) or _leaves_bytes_behind(answer):
                        meter.drop()
                    meter.release()  # before another thread can get the connection, which is not idle then
                    answer.close()
            except (TransportError, httpcore.RemoteProtocolError, httpcore.ProxyError) as error:
                failure = _failure(error, meter)
                if proxy is not None and not meter.is_own(failure):
                    failure = _of_the_proxy(failure, proxy, is_through=meter.is_through or request.url.scheme == "http")
                failure.reused = meter.reused
                raise failure from error

    def _proxy_of(self, url: httpx.URL) -> Proxy | None:
        return None if self._proxies is None else self._proxies.of(url)

    def _is_left(self, request: httpx.Request, status: int, meter: Meter) -> bool:
        """Whether the target may close the connection now, as after a failure or a body that it did not read.

        The next request on it would be lost with an unknown outcome. After 401 and 404 to other calls than POST the
        connection stays in use; after 400 and 401 to POST, once the target was seen to keep it.
        """
        if status < 400 or (request.method != "POST" and status in (401, 404)):
            return False
        if request.method != "POST" or status not in (400, 401):
            return True
        if self._stayed_after[status] >= _ENOUGH_TO_TRUST:
            return False
        left = meter.hung_up(_LONGEST_FAREWELL)
        self._stayed_after[status] += not left
        return left

    def close(self) -> None:
        """Close every connection."""
        for pool in self._pools.values():
            pool.close()

    def _pool_of(self, request: httpx.Request, proxy: Proxy | None) -> httpcore.ConnectionPool:
        key = (request.url.scheme, request.headers.get("Connection", "").lower() == "close", proxy)
        with self._lock:
            if key not in self._pools:
                # Without a limit on connections no request waits for one, so no wait escapes the deadline.
                how: dict[str, Any] = {
                    "ssl_context": self._verify,
                    "http1": True,
                    "http2": False,
                    "retries": 0,
                    "max_connections": None,
                    "keepalive_expiry": _IDLE_SECONDS,
                }
                if proxy is None:
                    self._pools[key] = httpcore.ConnectionPool(network_backend=self._network, **how)
                else:
                    network = BoundedNetwork(self.peers, proxy.address)
                    auth = (proxy.user.encode(), proxy.password.encode()) if proxy.user else None
                    self._pools[key] = httpcore.HTTPProxy(
                        proxy.address, proxy_auth=auth, network_backend=network, **how
                    )
            return self._pools[key]


def _failure(error: Exception, meter: Meter) -> TransportError:
    """Return what ended an exchange, as an error of transport."""
    if isinstance(error, TransportError):
        return error
    if isinstance(error, httpcore.ProxyError):
        return TransportError(ErrorKind.PROXY, f"CONNECT was answered {shorten(str(error).strip())}")
    if meter.ended:
        return meter.broken("closed")
    return TransportError(ErrorKind.NOT_HTTP, f"the answer breaks the rules of HTTP/1.1: {shorten(str(error))}")


def _is_of_the_proxy(status: int, headers: Headers) -> bool:
    """Whether a proxy that forwards requests over plain http answered one itself, as its own fields tell.

    502, 503 and 504 stay answers: the target may have seen the request.
    """
    if status < 400 or status in (502, 503, 504):
        return False
    fields = {name.lower(): value for name, value in headers}
    says_so = "x-squid-error" in fields or "error=" in fields.get("proxy-status", "")
    return status == 407 or says_so or _PRODUCTS.match(fields.get("server", "")) is not None


_PRODUCTS = re.compile(r"(?i)(tinyproxy|squid|privoxy|mitmproxy|zscaler|bluecoat|polipo)\b")
"""What proxies call themselves in answers of their own; those of the target keep its name."""


def _of_the_proxy(failure: TransportError, proxy: Proxy, *, is_through: bool) -> TransportError:
    """Return a failure as that of the proxy, unless the call had got through to the target."""
    if is_through and failure.kind not in (ErrorKind.DNS, ErrorKind.CONNECT, ErrorKind.PROXY):
        return failure
    detail = failure.detail.replace("the target", "the proxy")
    return TransportError(ErrorKind.PROXY, f"no way through the proxy {proxy.address}: {detail}")


def _for_the_pool(request: httpx.Request) -> httpcore.Request:
    url = request.url
    return httpcore.Request(
        method=request.method,
        url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=request.headers.raw,
        content=_InPieces(request.content, request.extensions.get("pieces", 1)),
    )


class _InPieces:
    """The content of a request, in some pieces with a pause between them; it can be sent again."""

    def __init__(self, content: bytes, number: int) -> None:
        self._pieces = cut(content, number)

    def __iter__(self) -> Iterator[bytes]:
        for index, piece in enumerate(self._pieces):
            if index:
                time.sleep(_BETWEEN_PIECES)
            yield piece


def _for_httpx(answer: httpcore.Response, body: IO[bytes], coding: str, known: dict[str, Any]) -> httpx.Response:
    undone = {b"content-encoding", b"content-length"} if coding else {b"content-encoding"}
    return httpx.Response(
        status_code=answer.status,
        headers=[(name, value) for name, value in answer.headers if name.lower() not in undone],
        stream=_Received(body),
        extensions={
            "http_version": answer.extensions["http_version"],
            "reason_phrase": answer.extensions["reason_phrase"],
            **known,
        },
    )


class _Received(httpx.SyncByteStream):
    """A body that was received; it can be read once."""

    def __init__(self, body: IO[bytes]) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        with self._body:
            yield self._body.read()

    def close(self) -> None:
        """Give up the body."""
        self._body.close()


def _leaves_bytes_behind(answer: httpcore.Response) -> bool:
    """Tell whether more bytes arrived than announced by the framing: the pool would read them as the next answer."""
    stream: Any = answer.stream
    try:
        return bool(stream._stream._connection._h11_state.trailing_data[0])
    except AttributeError:
        # An unknown version of httpcore: better a new connection each time than a wrong response.
        return True
