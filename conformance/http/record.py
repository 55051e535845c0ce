"""The record of a run: its exchanges in the order of the calls, and the only way to make one.

All traffic of a run passes here, including that of schemathesis and hypothesis.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

import httpx

from conformance.http import appearance, concurrency
from conformance.http.bodies import BEYOND, Bodies
from conformance.http.creations.journal import Journal, is_clean_up, record_outcome
from conformance.http.noise import Attempt, Noise
from conformance.http.run_time import TIME_IS_UP, RunTime
from conformance.http.secrets.personal import PersonalData
from conformance.model.errors import NotDecided
from conformance.model.exchange import (
    INTERRUPTED,
    NO_INTENT,
    ErrorKind,
    Exchange,
    Operation,
    Request,
    Response,
    Superseded,
    TransportError,
    operation,
    same_origin,
)
from conformance.model.further_headers import mark_of
from conformance.model.hosts import host_of
from conformance.model.target import SEVERAL, Target
from conformance.trace.trace import Exchanges

_NOT_STARTED: Final = datetime.min.replace(tzinfo=UTC)


class Record(Exchanges):
    """Records, paces and repeats calls; makes none that leaves the target's origin. Safe to use in several threads."""

    def __init__(
        self, inner: httpx.BaseTransport, target: Target, journal: Journal, time: RunTime, personal: PersonalData
    ) -> None:
        self.exchanges: list[Exchange] = []
        self.on_end: Callable[[Exchange], None] = lambda _: None
        """Called with each exchange that is over, one after another."""
        self._ended = 0
        self._lock = threading.Lock()
        self._bodies = Bodies()
        self._inner = inner
        self._time = time
        self._personal = personal
        self._base = target.url
        self._base_path = self._base.raw_path.decode("ascii").rstrip("/")
        self._withheld = {name.lower(): f"[{mark_of(name)}]" for name, _ in target.headers}
        """Header fields whose values are secrets: no exchange has them."""
        self._journal = journal
        self._budget = target.budget
        self._asked = 0
        """Attempts without those of the clean-up."""
        self._next = 0.0
        """When the next exchange may start, in seconds of the run's clock."""
        self._noise = Noise(time)
        self._settings: httpx.Request | None = None
        """The request of a plain GET /settings that was answered 200."""
        self._reading = threading.Lock()
        self._asking = threading.Lock()

    def __len__(self) -> int:
        return len(self.exchanges)

    def begin_with(self, earlier: Sequence[Exchange]) -> None:
        """Put exchanges of an earlier run, numbered from 1, before those of this one."""
        self.exchanges += earlier
        self._ended += len(earlier)

    def call(self, request: httpx.Request) -> Exchange:
        """Make a call, and again where its answer may be noise; return its last exchange, with or without an answer.

        Raises KeyboardInterrupt once the run is stopped: from then on only the clean-up sends requests, and only the
        response to a creation is still waited for.
        """
        url, attempts = request.url, list[Attempt]()
        if not same_origin(url, self._base):
            raise NotDecided(f"{url.scheme}://{host_of(url)} is not the target's origin; it is never called.")
        appearance.vary_headers(request)  # with the token, which is added last
        while True:
            attempts.append(attempt := self._attempt(request))
            exchange = attempt.exchange
            plain = exchange.operation is Operation.SETTINGS and exchange.request.credential == "no token"
            if self._settings is None and plain and exchange.status == 200 and not exchange.intent.stated():
                self._settings = request
            again = self._noise.is_made_again(attempts, self._ask_settings)
            first = attempts[0]
            closed = first.is_stale and first.exchange.response is None
            misread = closed or first.exchange.superseded is Superseded.MISPLACED
            if misread and hasattr(self._inner, "close_after_each"):
                # The target closes connections that it announced to keep, or misreads them.
                self._inner.close_after_each = True
            if not again:
                return exchange
            request.headers["Connection"] = "close"
            request.extensions["repeats"] = exchange.id

    def _opened(self, request: httpx.Request) -> Exchange:
        """Return the exchange of a request that is about to be sent; its extensions carry what the call means."""
        path, meant = self._path(request.url), request.extensions
        fields = ((key.decode("latin-1"), value.decode("latin-1")) for key, value in request.headers.raw)
        return Exchange(
            id="",
            check=concurrency.here().check,
            operation=meant.get("operation") or operation(request.method, path),
            started=_NOT_STARTED,
            request=Request(
                method=request.method,
                url=str(request.url),
                headers=tuple((name, self._withheld.get(name.lower(), value)) for name, value in fields),
                body=request.read(),
                credential=meant.get("credential", "no token"),
                pieces=meant.get("pieces", 1),
            ),
            intent=meant.get("intent", NO_INTENT),
            path=path,
            beside=concurrency.here().beside,
            repeats=meant.get("repeats", ""),
            redirected_from=meant.get("redirected_from", ""),
        )

    def _path(self, url: httpx.URL) -> str:
        """Return the path of `url` below the base_url, still percent-encoded."""
        raw = url.raw_path.decode("ascii").partition("?")[0]
        return raw[len(self._base_path) :] if raw.startswith(self._base_path) else raw

    def _attempt(self, request: httpx.Request) -> Attempt:
        """Send a request once, unless a budget is spent."""
        self._time.raise_if_stopped()
        exchange, is_stale = self._opened(request), False
        try:
            is_stale = self._ask(request, exchange)
        except TransportError as error:
            is_stale = error.reused
            exchange.error, exchange.error_detail = error.kind, error.detail
        except KeyboardInterrupt:
            if exchange.response is None:
                exchange.error, exchange.error_detail = ErrorKind.CLOSED, INTERRUPTED
            raise
        finally:
            self._end(exchange)
        if exchange.response is None:
            self._time.raise_if_stopped()
        return Attempt(exchange, is_stale)

    def _ask_settings(self) -> Exchange | None:
        """Ask GET /settings, which the service answers; None if it never did."""
        if self._settings is None:
            return None
        request = httpx.Request("GET", self._settings.url, headers=self._settings.headers)
        request.headers["Connection"] = "close"
        return self._attempt(request).exchange

    def _ask(self, request: httpx.Request, exchange: Exchange) -> bool:
        """Send one request and keep its answer; tell whether an earlier call on its connection may be its cause."""
        clean_up, creates = is_clean_up(exchange), exchange.operation is Operation.CREATE
        try:
            try:
                self._wait_for_a_turn()
                self._refuse_beyond_limits(exchange, clean_up=clean_up, creates=creates)
                # Only sending remains: wait for the other calls of a race, unless a rate separates them.
                if not self._budget.rate:
                    concurrency.ready()
            finally:
                self._start(exchange)
            # Only deletions undo a creation, so its response is awaited as long as possible, also after a signal.
            request.extensions["at_most"] = self._time.left(clean_up=clean_up or creates), TIME_IS_UP
            if not creates:
                request.extensions["given_up"] = lambda: INTERRUPTED if self._time.is_interrupted else ""
            response = self._inner.handle_request(request)
        finally:
            # In whole microseconds, as the evidence has it: a rule must judge both alike.
            exchange.seconds = round(exchange.seconds + self._time.seconds(), 6)
        with self._reading:  # a large body takes several times its size in memory
            self._keep(exchange, response)
        return bool(response.extensions.get("after_refused_body"))

    def _start(self, exchange: Exchange) -> None:
        """Add an exchange to the record, in the moment in which its request is sent."""
        with self._lock:
            # In this order an exchange never seems to end too early.
            exchange.seconds, exchange.started = -self._time.seconds(), self._time.now()
            self.exchanges.append(exchange)
            exchange.id = f"e{len(self.exchanges)}"
            exchange.settle()
        if (own := concurrency.here().own) is not None:
            own.append(exchange)

    def _end(self, exchange: Exchange) -> None:
        """Number an exchange that is over, and note what it did at the target, one after another."""
        with self._lock:
            exchange.settle()
            try:
                if exchange.was_sent and exchange.error_detail != INTERRUPTED:
                    self._time.slowest = max(self._time.slowest, exchange.seconds)
                    record_outcome(self._journal, exchange, self.exchanges)
            finally:
                self._ended += 1
                exchange.ended = self._ended
                self.on_end(exchange)

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()

    @property
    def one_at_a_time(self) -> bool:
        """Whether the target was seen to serve one connection at a time."""
        return bool(getattr(self._inner, "one_at_a_time", False))

    def _wait_for_a_turn(self) -> None:
        """Space the starts of exchanges evenly over all threads, as the rate of the budget says."""
        if not self._budget.rate:
            return
        with self._asking:
            now = self._time.seconds()
            pause = max(self._next - now, 0.0)
            self._next = now + pause + 1 / self._budget.rate
        if pause:
            try:
                self._time.sleep(pause)
            except NotDecided:
                raise TransportError(ErrorKind.BUDGET, TIME_IS_UP) from None

    def _refuse_beyond_limits(self, exchange: Exchange, *, clean_up: bool, creates: bool) -> None:
        """Raise TransportError if calls like this stay unanswered or a budget is spent; journal a creation."""
        budget = self._budget
        if self._noise.is_silent(exchange):
            raise TransportError(
                ErrorKind.SILENT, f"not asked: {SEVERAL} calls of this operation in a row had no answer"
            )
        if self._time.left(clean_up=clean_up, creates=creates) <= 0:
            raise TransportError(ErrorKind.BUDGET, TIME_IS_UP)
        with self._asking:
            self._asked += not clean_up
            if budget.max_requests is not None and self._asked > budget.max_requests and not clean_up:
                raise TransportError(ErrorKind.BUDGET, f"the budget of requests ({budget.max_requests}) is spent")
        if creates and self._bodies.is_overdrawn:
            raise TransportError(ErrorKind.BUDGET, f"the answers to creations are so large: {BEYOND}")
        if creates and not self._journal.intend(exchange.request.credential, at_most=budget.max_created):
            raise TransportError(ErrorKind.BUDGET, f"the budget of creations ({budget.max_created}) is spent")

    def _keep(self, exchange: Exchange, response: httpx.Response) -> None:
        stream = response.stream
        body = b"".join(stream) if isinstance(stream, httpx.SyncByteStream) else b""
        raw = response.extensions.get("raw_headers") or tuple(
            (key.decode("latin-1"), value.decode("latin-1")) for key, value in response.headers.raw
        )
        received = Response(
            status=response.status_code,
            reason=response.reason_phrase,
            http_version=response.http_version,
            headers=tuple(raw),
            # Without its document, a request that was created could not be deleted.
            content=self._bodies.received(body, needed=exchange.operation is Operation.CREATE and response.is_success),
        )
        exchange.response = self._personal.recorded(exchange, received)
