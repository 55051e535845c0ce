"""The recording transport: all traffic of a run passes here, including that of schemathesis and hypothesis."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Final

import httpx

from conformance.http import concurrency
from conformance.http.bodies import BEYOND, BodyStore
from conformance.http.clock import Throttle
from conformance.http.controls import Controls, may_be_done
from conformance.http.creations.journal import Journal
from conformance.http.creations.outcomes import is_of_no_user, record_outcome
from conformance.http.record import CLEAN_UP, Record
from conformance.http.retries import TRIES, LastingErrors, asked_to_wait, doubt_what_was_done, failed, pause
from conformance.http.run_time import TIME_IS_UP, RunTime
from conformance.http.secrets.personal import PersonalData
from conformance.model.bodies import LARGE, Unread
from conformance.model.error_table import must_be_refused, names_a_tabled_error
from conformance.model.exchange import (
    INTERRUPTED,
    NEVER_ARRIVED,
    ErrorKind,
    Exchange,
    Operation,
    Response,
    TransportError,
)
from conformance.model.target import Target

GIVES_UP_AFTER: Final = 3
"""Unanswered exchanges of one operation in a row after which it is no longer called."""

_TO_MALFORMED_CALLS: Final = (400, 404, 405, 501)
"""Statuses of a call whose method begins with the unread body of another one."""

_CONTROLS: Final = 2
"""Controls of each status that show nothing unusual, before the run makes no more."""

_UNREACHABLE = (ErrorKind.DNS, ErrorKind.CONNECT, ErrorKind.TLS, ErrorKind.DEADLINE)


def is_clean_up(exchange: Exchange) -> bool:
    """Whether an exchange deletes what the run created; no budget prevents it."""
    return exchange.operation is Operation.DELETE and exchange.intent.request == CLEAN_UP


def _is_large(response: Response) -> bool:
    """Whether the end of a run reads and writes a large body again."""
    return response.size > LARGE and not isinstance(response.content, Unread)


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
        self._patience = dict.fromkeys((False, True), target.budget.patience)
        self._controls = Controls()
        self._lasting = LastingErrors()
        self._unanswered: Counter[Operation | None] = Counter()
        self._in_place: Counter[int] = Counter()
        """How often a control on a connection of its own gave the same status."""
        self._lock = threading.Lock()
        self._one_at_a_time = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer, with the recorded exchange in its extensions.

        Raises TransportError when there is none, and KeyboardInterrupt once the run is stopped: from then on only
        the clean-up sends requests, and only the response to a creation is still waited for.
        """
        body = request.read()
        url = request.url
        if not self._record.addresses.has(url):
            raise TransportError(
                ErrorKind.BLOCKED, f"{url.scheme}://{url.host} is not the target's origin; it is never called"
            )
        redropped, unavailable, suspect, refused = False, False, None, None
        for attempt in range(1, TRIES + 1):
            self._time.raise_if_stopped()
            exchange = self._record.open(request, body, request.extensions.get("credential", "no token"))
            try:
                response = self._ask(request, exchange)
                with self._lock:
                    self._controls.learn(request, exchange)
                self._unanswered[exchange.operation] = 0
                if suspect is not None:
                    self._compare(suspect, exchange)
                elif self._is_suspicious(exchange, response):
                    suspect = exchange
                    unavailable = doubt_what_was_done(exchange, unavailable)
                    if not failed(exchange):
                        request.headers["Connection"] = "close"
                    request.extensions["repeats"] = exchange.id
                    continue
                delay = self._asked_to_wait(exchange, attempt, again=suspect is not None)
                unavailable = doubt_what_was_done(exchange, unavailable)
            except TransportError as error:
                if error.reused and hasattr(self._inner, "close_after_each"):
                    # The target closes connections that it announced to keep: from now on each exchange has its own.
                    self._inner.close_after_each = True
                silent = error.kind is ErrorKind.CLOSED and error.detail != INTERRUPTED
                # A call that has to be refused has no effect: sent again, it shows whether the target is silent to it.
                again = (error.reused and request.method == "GET") or (silent and must_be_refused(exchange) is not None)
                if again and not redropped:
                    redropped = True
                    if silent:
                        request.headers["Connection"] = "close"
                    request.extensions["repeats"] = exchange.id
                    continue
                raise
            finally:
                self._end(exchange)
            self._journal.sync()
            before = exchange
            if refused is not None:
                self._excuse(refused, exchange)
            elif delay is None and (control := self._control(exchange)) is not None:
                before, delay = control, self._after_control(exchange, control, attempt)
                refused = exchange if exchange.error is None else None
                unavailable |= may_be_done(exchange)
            if delay is None or not self._waits(exchange, delay):
                break
            request.extensions["repeats"] = before.id
        return response

    def _end(self, exchange: Exchange) -> None:
        began = self._time.seconds()
        self._record.end(exchange, self._settle)
        if exchange.response is not None and _is_large(exchange.response):
            self._time.spent_on_large(self._time.seconds() - began)

    def _needs_control(self, exchange: Exchange) -> bool:
        return self._controls.are_needed(exchange)

    def _control(self, exchange: Exchange) -> Exchange | None:
        """Make the control of a refusal; return it, or None if there is none, or no response to it."""
        if not self._needs_control(exchange):
            return None
        request = self._controls.after(exchange)
        control = self._record.open(request, b"", "no token")
        try:
            self._ask(request, control)
        except TransportError:
            return None
        finally:
            self._record.end(control, self._settle)
        return control

    def _excuse(self, refused: Exchange, again: Exchange) -> None:
        """Tell by the same call once more whether a refusal decides anything."""
        with self._lock:
            self._controls.compare(refused, again)

    def _after_control(self, exchange: Exchange, control: Exchange, attempt: int) -> float | None:
        """Return the seconds to wait before a refused call is sent again, or None if it is not."""
        if self._controls.shows_an_outage(exchange, control):
            return None if attempt == TRIES or exchange.intent.racing else pause(attempt)
        with self._lock:
            return 0.0 if attempt < TRIES and self._controls.allow_another(exchange) else None

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
            self._keep(exchange, response)
            self._time.note(exchange)
        except KeyboardInterrupt:
            if exchange.response is None and exchange.error is None:
                self._ended(exchange)
                exchange.error, exchange.error_detail = ErrorKind.CLOSED, INTERRUPTED
            raise
        return response

    def _is_suspicious(self, exchange: Exchange, response: httpx.Response) -> bool:
        """Whether the same call has to be sent again before the response decides anything.

        A server error may come now and then only: the rules compare both responses. Another response may answer the
        body of an earlier request, which the target left unread (RFC 9112, 9.3): then the same call on a connection of
        its own shows the right one. A few of these controls are enough.
        """
        if failed(exchange):
            return True
        answer = exchange.response
        if answer is None or not response.extensions.get("after_refused_body"):
            return False
        unlike = answer.status in _TO_MALFORMED_CALLS and not names_a_tabled_error(answer)
        return unlike and self._in_place[answer.status] < _CONTROLS

    def _compare(self, suspect: Exchange, control: Exchange) -> None:
        """Tell by the same call on a connection of its own whether the first response answered something else."""
        if suspect.response is None or control.response is None or failed(suspect) or failed(control):
            return
        if suspect.response.status == control.response.status:
            self._in_place[suspect.response.status] += 1
            return
        suspect.error = ErrorKind.MISPLACED
        suspect.error_detail = (
            f"status {suspect.response.status}, but {control.response.status} on a connection of its own: it answered "
            "the body of an earlier request on the connection"
        )
        if hasattr(self._inner, "close_after_each"):
            self._inner.close_after_each = True

    def _settle(self, exchange: Exchange) -> None:
        """Note what an exchange did at the target; the journal has the order in which the exchanges end."""
        if exchange.response is not None:
            record_outcome(self._journal, exchange, exchange.response)

    def _ended(self, exchange: Exchange) -> None:
        # In whole microseconds, as the evidence has it: a rule must judge both alike.
        exchange.seconds = round(exchange.seconds + self._time.seconds(), 6)

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()

    def speaks(self, scheme: str) -> bool:
        """Tell whether the target's port speaks `scheme`, as far as the transport can find out without a request."""
        probe = getattr(self._inner, "speaks", None)
        return probe is not None and bool(probe(self._base, scheme))

    def _refuse_beyond_limits(self, exchange: Exchange, *, clean_up: bool, creates: bool) -> None:
        """Raise TransportError if the operation stays unanswered or a budget is spent; journal a creation."""
        if self._unanswered[exchange.operation] >= GIVES_UP_AFTER:
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
        if exchange.operation is Operation.CREATE:
            if error.kind not in NEVER_ARRIVED and not is_of_no_user(exchange):
                self._journal.has_unknown_outcome(error.detail)
                self._journal.sync()
            elif error.kind not in (ErrorKind.BUDGET, ErrorKind.UNAVAILABLE):
                self._journal.was_refused()
        if error.kind in _UNREACHABLE:
            with self._lock:
                self._unanswered[exchange.operation] += 1

    def _keep(self, exchange: Exchange, response: httpx.Response) -> None:
        with self._one_at_a_time:  # a large body takes several times its size in memory
            self._keep_now(exchange, response)

    def _keep_now(self, exchange: Exchange, response: httpx.Response) -> None:
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

    def _asked_to_wait(self, exchange: Exchange, attempt: int, *, again: bool) -> float | None:
        """Return the seconds before the next attempt, or None if there is none; `again` after a server error."""
        delay = asked_to_wait(exchange, attempt, self._time.now())
        return self._lasting.pause(exchange, attempt) if delay is None and again and failed(exchange) else delay

    def _waits(self, exchange: Exchange, seconds: float) -> bool:
        """Wait before a call is sent again; return False if the run has not the time, as the exchange then says."""
        with self._lock:
            clean_up = is_clean_up(exchange)
            has_time = seconds <= self._patience[clean_up] and self._time.reaches(seconds)
            if has_time:
                self._patience[clean_up] -= seconds
        if has_time:
            self._time.sleep(seconds)
        elif exchange.error is not None:
            exchange.error_detail += "; the time that the run spends waiting for retries is used up"
        return has_time

    def _sleep(self, seconds: float) -> None:
        if not self._time.reaches(seconds):
            raise TransportError(ErrorKind.BUDGET, TIME_IS_UP)
        self._time.sleep(seconds)
