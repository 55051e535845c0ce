"""Retries: whether a call is sent again because of its response, and when."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import datetime
from typing import Final

import httpx

from conformance.facts.answers import names_a_tabled_error
from conformance.facts.creation import DONE_OR_NOT, OF_GATEWAYS
from conformance.facts.due import due
from conformance.http.clock import retry_after
from conformance.http.controls import Controls
from conformance.http.record import is_clean_up
from conformance.http.run_time import RunTime
from conformance.model.date_time import http_date
from conformance.model.exchange import MISSING, ErrorKind, Exchange, Operation

LONGEST_WAIT: Final = 60.0
"""Seconds that one Retry-After can make a run wait."""

TRIES: Final = 4
"""Attempts of one call while the target asks to retry later."""

_TO_MALFORMED_CALLS: Final = (400, 404, 405, 501)
"""Statuses of a call whose method begins with the unread body of another one."""

_IN_PLACE: Final = 2
"""Calls on a connection of their own that show the same status as before, after which the run makes no more."""


def doubt_what_was_done(exchange: Exchange, unavailable: bool, suspect: Exchange | None) -> bool:
    """Excuse a 404 or 410 to a deletion that was sent again after a failure; return whether the next one is excused.

    The failure may have come although the service deleted the request. `suspect` is the first attempt, where the
    service itself failed.
    """
    answer = exchange.response
    assert answer is not None
    if unavailable and answer.status in MISSING and exchange.intent.request in ("existing", "clean-up"):
        first = suspect.response if suspect is not None and failed(suspect) else None
        exchange.error = ErrorKind.UNAVAILABLE if first is None else ErrorKind.FAILED_BEFORE
        failure = "a failure" if first is None else f"a server error ({first.status})"
        exchange.error_detail = f"status {answer.status}, when it was repeated after {failure}"
    done_or_not = unavailable or answer.status in OF_GATEWAYS or failed(exchange)
    return exchange.operation is Operation.DELETE and done_or_not


def failed(exchange: Exchange) -> bool:
    """Whether the service answered a server error of its own, which has to show again before it decides anything.

    Simultaneous calls cannot be repeated alone, and generated calls whose answer is open decide nothing.
    """
    answer, intent = exchange.response, exchange.intent
    if answer is None or exchange.operation is None or intent.racing or (intent.generated and intent.open):
        return False
    return answer.status >= 500 and answer.status not in {501, 505, 511, *OF_GATEWAYS}


def asked_to_wait(exchange: Exchange, attempt: int, now: datetime) -> float | None:
    """Return the seconds to wait before the next attempt, or None if there is none.

    429, 403 for a quota and 503 say that nothing was done. Only then is a POST sent again, or if it has to be refused.
    """
    answer = exchange.response
    assert answer is not None
    # A 403 with one of these headers is about the number of calls, not about who makes them.
    names_a_quota = (
        answer.header("retry-after") is not None or (answer.header("x-ratelimit-remaining") or "").strip() == "0"
    )
    too_many = answer.status == 429 or (answer.status == 403 and names_a_quota)
    if not too_many and answer.status not in OF_GATEWAYS:
        return None
    if names_a_tabled_error(answer):
        return None
    # A moment in Retry-After is one of the service's clock.
    told = retry_after(answer.header("retry-after"), http_date(answer.header("date")) or now)
    exchange.error = ErrorKind.RATE_LIMITED if too_many else ErrorKind.UNAVAILABLE
    exchange.error_detail = f"status {answer.status}" + (f", Retry-After {told:g} s" if told is not None else "")
    nothing_done = too_many or answer.status not in DONE_OR_NOT
    again = nothing_done or exchange.request.method in ("GET", "DELETE") or due(exchange).must_refuse
    if attempt == TRIES or not again:
        return None
    return min(told, LONGEST_WAIT) if told is not None else _pause(attempt)


def _pause(attempt: int) -> float:
    """Return the seconds between two attempts of a call, where the service asks for no other time."""
    return float(0.25 * 2**attempt)


class Retries:
    """Whether the calls of a run are sent again, and when. Safe to use from several threads."""

    def __init__(self, time: RunTime, patience: float) -> None:
        self._time = time
        self._patience = dict.fromkeys((False, True), patience)
        """Seconds that the run still waits for retries, and apart from them those of the clean-up (True)."""
        self.controls = Controls()
        self._lasting: set[tuple[Operation | None, int]] = set()
        """Server errors that were still there at the last attempt: the run waits for the end of none like them."""
        self._in_place: Counter[int] = Counter()
        """How often a call on a connection of its own gave the same status."""
        # Simultaneous calls must not both use what is left for one.
        self._lock = threading.Lock()

    def is_suspicious(self, exchange: Exchange, response: httpx.Response) -> bool:
        """Whether the same call has to be sent again before the response decides anything.

        A server error may come now and then only: the rules compare both responses. Another response may answer the
        body of an earlier request, which the target left unread (RFC 9112, 9.3): then the same call on a connection of
        its own shows the right one. A few such calls are enough.
        """
        if failed(exchange):
            return True
        answer = exchange.response
        if answer is None or not response.extensions.get("after_refused_body"):
            return False
        unlike = answer.status in _TO_MALFORMED_CALLS and not names_a_tabled_error(answer)
        return unlike and self._in_place[answer.status] < _IN_PLACE

    def mark_misplaced(self, suspect: Exchange, again: Exchange) -> bool:
        """Excuse a response that answered something else, as the same call on a connection of its own shows.

        Return whether it did.
        """
        if suspect.response is None or again.response is None or again.error or failed(suspect) or failed(again):
            return False
        if suspect.response.status == again.response.status:
            with self._lock:
                self._in_place[suspect.response.status] += 1
            return False
        suspect.error = ErrorKind.MISPLACED
        suspect.error_detail = (
            f"status {suspect.response.status}, but {again.response.status} on a connection of its own: it answered "
            "the body of an earlier request on the connection"
        )
        return True

    def after_control(self, exchange: Exchange, control: Exchange, attempt: int) -> float | None:
        """Return the seconds to wait before a refused call is sent again, or None if it is not."""
        if self.controls.shows_an_outage(exchange, control):
            return None if attempt == TRIES or exchange.intent.racing else _pause(attempt)
        return 0.0 if attempt < TRIES and self.controls.allow_another(exchange) else None

    def delay(self, exchange: Exchange, attempt: int, *, again: bool) -> float | None:
        """Return the seconds before the next attempt, or None if there is none; `again` after a server error."""
        delay = asked_to_wait(exchange, attempt, self._time.now())
        return self._until_it_ends(exchange, attempt) if delay is None and again and failed(exchange) else delay

    def _until_it_ends(self, exchange: Exchange, attempt: int) -> float | None:
        """Return the seconds before a call that failed twice is sent again, or None if it is not.

        A service that fails for seconds, such as for want of a connection to its database, fails the call again at
        once.
        """
        assert exchange.response is not None
        kind = exchange.operation, exchange.response.status
        if kind in self._lasting:
            return None
        if attempt == TRIES:
            self._lasting.add(kind)
            return None
        return _pause(attempt)

    def waits_for_return(self, exchange: Exchange, attempt: int) -> bool:
        """Wait before a call is sent again that did not reach the target; return False if it is not."""
        return attempt < TRIES and not exchange.intent.racing and self.wait(exchange, _pause(attempt))

    def wait(self, exchange: Exchange, seconds: float) -> bool:
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
