"""The recording transport: all traffic of a run passes here, including that of schemathesis and hypothesis."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import httpx

from conformance.facts.due import due
from conformance.http import concurrency
from conformance.http.bodies import BEYOND, BodyStore
from conformance.http.clock import Throttle
from conformance.http.controls import may_be_done
from conformance.http.creations.journal import Journal
from conformance.http.creations.outcomes import record_creation, record_outcome
from conformance.http.record import Record, is_clean_up
from conformance.http.retries import TRIES, Retries, doubt_what_was_done, failed
from conformance.http.run_time import TIME_IS_UP, RunTime
from conformance.http.secrets.personal import PersonalData
from conformance.http.silence import GIVES_UP_AFTER, Silence
from conformance.model.bodies import LARGE, Unread
from conformance.model.exchange import (
    INTERRUPTED,
    ErrorKind,
    Exchange,
    Operation,
    Response,
    TransportError,
    same_origin,
)
from conformance.model.hosts import host_of
from conformance.model.target import Target


def _is_large(response: Response) -> bool:
    """Whether the end of a run reads and writes a large body again."""
    return response.size > LARGE and not isinstance(response.content, Unread)


@dataclass
class _Call:
    """A call, with what its attempts so far have shown."""

    request: httpx.Request
    body: bytes
    attempts: int = 0
    exchange: Exchange = field(init=False)
    response: httpx.Response | None = None
    was_dropped: bool = False
    """Whether the connection was closed once, and the call sent again."""
    perhaps_done: bool = False
    """Whether a deletion may have removed its request although it failed or was refused."""
    suspect: Exchange | None = None
    """The exchange that the next attempt shows to be right or wrong."""
    refused: Exchange | None = None
    """The refusal that the next attempt shows to be the service's own, or not."""

    def repeat(self, exchange: Exchange, *, apart: bool = False) -> None:
        """Let the next attempt be the repetition of an exchange, perhaps on a connection of its own."""
        self.request.extensions["repeats"] = exchange.id
        if apart:
            self.request.headers["Connection"] = "close"


class RecordingTransport(httpx.BaseTransport):
    """Records, paces and repeats calls; blocks those that leave the target's origin."""

    def __init__(
        self,
        inner: httpx.BaseTransport,
        target: Target,
        record: Record,
        journal: Journal,
        time: RunTime,
        personal: PersonalData,
        bodies: BodyStore,
    ) -> None:
        self._bodies = bodies
        self._inner = inner
        self._time = time
        self._personal = personal
        self._base = target.url
        self._record = record
        self._journal = journal
        self._may_create = target.budget.max_created
        self._may_ask = target.budget.max_requests
        self._throttle = Throttle(target.budget.rate, time.seconds, self._sleep)
        self._retries = Retries(time, target.budget.patience)
        self._silence = Silence()
        self._one_at_a_time = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer, with the recorded exchange in its extensions.

        Raises TransportError when there is none, and KeyboardInterrupt once the run is stopped: from then on only
        the clean-up sends requests, and only the response to a creation is still waited for.
        """
        url = request.url
        if not same_origin(url, self._base):
            raise TransportError(
                ErrorKind.BLOCKED, f"{url.scheme}://{host_of(url)} is not the target's origin; it is never called"
            )
        call = _Call(request, request.read())
        while self._goes_on(call):
            pass
        assert call.response is not None
        return call.response

    def _goes_on(self, call: _Call) -> bool:
        try:
            return self._attempt(call) and call.attempts < TRIES
        except TransportError as error:
            if self._silence.may_end(error.kind) and self._retries.waits_for_return(call.exchange, call.attempts):
                call.repeat(call.exchange)
                return True
            self._silence.note(call.exchange, error.kind)
            raise

    def _attempt(self, call: _Call) -> bool:
        """Make the next attempt of a call; return whether another one has to follow."""
        self._time.raise_if_stopped()
        call.attempts += 1
        request, retries = call.request, self._retries
        exchange = call.exchange = self._record.open(
            request, call.body, request.extensions.get("credential", "no token")
        )
        try:
            call.response = self._ask(request, exchange)
            retries.controls.learn(request, exchange)
            self._silence.ends(exchange)
            if call.suspect is None and retries.is_suspicious(exchange, call.response):
                call.perhaps_done = doubt_what_was_done(exchange, call.perhaps_done, call.suspect)
                call.suspect = exchange
                call.repeat(exchange, apart=not failed(exchange))
                return True
            delay = retries.delay(exchange, call.attempts, again=call.suspect is not None)
            if call.suspect is not None and retries.mark_misplaced(call.suspect, exchange):
                self._close_after_each()
            call.perhaps_done = doubt_what_was_done(exchange, call.perhaps_done, call.suspect)
        except TransportError as error:
            if error.reused:
                self._close_after_each()
            silent = error.kind is ErrorKind.CLOSED and error.detail != INTERRUPTED
            # A call that has to be refused has no effect: sent again, it shows whether the target is silent to it.
            again = (error.reused and request.method == "GET") or (silent and due(exchange).must_refuse)
            if call.was_dropped or not again or call.attempts == TRIES:
                raise
            call.was_dropped = True
            call.repeat(exchange, apart=silent)
            return True
        finally:
            self._end(exchange)
        self._journal.sync()
        before = exchange
        if call.refused is not None:
            retries.controls.compare(call.refused, exchange)
        elif delay is None and (control := self._control(exchange)) is not None:
            before, delay = control, retries.after_control(exchange, control, call.attempts)
            call.refused = exchange if exchange.error is None else None
            call.perhaps_done |= may_be_done(exchange)
        if delay is None or not retries.wait(exchange, delay):
            return False
        call.repeat(before)
        return True

    def _end(self, exchange: Exchange) -> None:
        began = self._time.seconds()
        self._record.end(exchange, self._settle)
        if exchange.response is not None and _is_large(exchange.response):
            self._time.spent_on_large(self._time.seconds() - began)

    def _control(self, exchange: Exchange) -> Exchange | None:
        """Make the control of a refusal; return it, or None if there is none, or no response to it."""
        if not self._retries.controls.are_needed(exchange):
            return None
        request = self._retries.controls.after(exchange)
        control = self._record.open(request, b"", "no token")
        try:
            self._ask(request, control)
        except TransportError:
            return None
        finally:
            self._record.end(control, self._settle)
        return control

    def _close_after_each(self) -> None:
        """Use each connection once from now on: the target closes some that it announced to keep, or misreads them."""
        if hasattr(self._inner, "close_after_each"):
            self._inner.close_after_each = True

    def _ask(self, request: httpx.Request, exchange: Exchange) -> httpx.Response:
        """Send one request and keep its answer."""
        try:
            try:
                self._throttle.wait()
                clean_up, creates = is_clean_up(exchange), exchange.operation is Operation.CREATE
                self._refuse_beyond_limits(exchange, clean_up=clean_up, creates=creates)
                # Only sending remains: wait for the other calls of a race, unless a rate separates them.
                if not self._throttle.limited and concurrency.ready():
                    exchange.seconds, exchange.started = -self._time.seconds(), self._time.now()
                # Only deletions undo a creation, so its response is awaited as long as possible, also after a signal.
                request.extensions["at_most"] = self._time.allowed(clean_up=clean_up or creates), TIME_IS_UP
                if not creates:
                    request.extensions["given_up"] = lambda: INTERRUPTED if self._time.is_interrupted else ""
                response = self._inner.handle_request(request)
            except TransportError as error:
                self._ended(exchange)
                self._note(exchange, error)
                self._time.raise_if_stopped()
                raise
            self._ended(exchange)
            with self._one_at_a_time:  # a large body takes several times its size in memory
                self._keep(exchange, response)
            self._time.note(exchange)
        except KeyboardInterrupt:
            if exchange.response is None and exchange.error is None:
                self._ended(exchange)
                exchange.error, exchange.error_detail = ErrorKind.CLOSED, INTERRUPTED
            raise
        return response

    def _settle(self, exchange: Exchange) -> None:
        """Note what an exchange did at the target; the journal has the order in which the exchanges end."""
        if exchange.response is not None:
            record_outcome(self._journal, exchange, exchange.response, self._record.exchanges)

    def _ended(self, exchange: Exchange) -> None:
        # In whole microseconds, as the evidence has it: a rule must judge both alike.
        exchange.seconds = round(exchange.seconds + self._time.seconds(), 6)

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()

    @property
    def one_at_a_time(self) -> bool:
        """Whether the target was seen to serve one connection at a time."""
        return bool(getattr(self._inner, "one_at_a_time", False))

    def speaks(self, url: httpx.URL, scheme: str) -> bool:
        """Tell whether the port of `url` speaks `scheme`, as far as the transport can find out without a request."""
        probe = getattr(self._inner, "speaks", None)
        return probe is not None and bool(probe(url, scheme))

    def _refuse_beyond_limits(self, exchange: Exchange, *, clean_up: bool, creates: bool) -> None:
        """Raise TransportError if the operation stays unanswered or a budget is spent; journal a creation."""
        if self._silence.lasts(exchange):
            raise TransportError(
                ErrorKind.UNAVAILABLE, f"not asked: {GIVES_UP_AFTER} calls of this operation in a row had no answer"
            )
        if self._time.allowed(clean_up=clean_up, creates=creates) <= 0:
            raise TransportError(ErrorKind.BUDGET, TIME_IS_UP)
        if self._may_ask is not None and len(self._record) > self._may_ask and not clean_up:
            raise TransportError(ErrorKind.BUDGET, f"the budget of requests ({self._may_ask}) is spent")
        if creates and self._bodies.is_overdrawn:
            raise TransportError(ErrorKind.BUDGET, f"the answers to creations are so large: {BEYOND}")
        if creates and not self._journal.intend(exchange.request.credential, at_most=self._may_create):
            raise TransportError(ErrorKind.BUDGET, f"the budget of creations ({self._may_create}) is spent")

    def _note(self, exchange: Exchange, error: TransportError) -> None:
        exchange.error, exchange.error_detail = error.kind, error.detail
        if exchange.was_sent:
            self._time.note(exchange)
        if exchange.operation is Operation.CREATE and error.kind not in (ErrorKind.BUDGET, ErrorKind.UNAVAILABLE):
            record_creation(self._journal, exchange)
            self._journal.sync()

    def _keep(self, exchange: Exchange, response: httpx.Response) -> None:
        stream = response.stream
        body = b"".join(stream) if isinstance(stream, httpx.SyncByteStream) else b""
        began = self._time.seconds()
        if "content-encoding" in response.headers:
            # Only a transport without a network leaves the coding; the bounded transport has undone it.
            body = httpx.Response(200, headers=response.headers, content=body).content
            del response.headers["content-encoding"]
        raw = response.extensions.get("raw_headers") or tuple(
            (key.decode("latin-1"), value.decode("latin-1")) for key, value in response.headers.raw
        )
        received = Response(
            status=response.status_code,
            reason=response.reason_phrase,
            http_version=response.http_version,
            headers=tuple(raw),
            # Without its document, a request that was created could not be deleted.
            body=self._bodies.received(body, needed=exchange.operation is Operation.CREATE and response.is_success),
        )
        exchange.response = self._personal.recorded(exchange, received, seconds=self._time.left_for_checks())
        content = exchange.response.content
        response.stream = httpx.ByteStream(content if isinstance(content, bytes) else b"")
        # httpx parses Location even if it does not follow it, and fails if it is no address.
        response.headers.pop("location", None)
        response.extensions["exchange"] = exchange
        if _is_large(exchange.response):
            # Parsed in measured time: the first parsing at the end would take time that is not reserved.
            _ = exchange.response.document
            self._time.spent_on_large(self._time.seconds() - began)

    def _sleep(self, seconds: float) -> None:
        if not self._time.reaches(seconds):
            raise TransportError(ErrorKind.BUDGET, TIME_IS_UP)
        self._time.sleep(seconds)
