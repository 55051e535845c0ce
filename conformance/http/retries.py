"""Retries: whether a call is sent again because of its response, and when."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from conformance.http.clock import retry_after
from conformance.http.creations.outcomes import DONE_OR_NOT, OF_GATEWAYS
from conformance.model.error_table import must_be_refused, names_a_tabled_error
from conformance.model.exchange import MISSING, ErrorKind, Exchange, Operation

LONGEST_WAIT: Final = 60.0
"""Seconds that one Retry-After can make a run wait."""

TRIES: Final = 4
"""Attempts of one call while the target asks to retry later."""


def doubt_what_was_done(exchange: Exchange, unavailable: bool) -> bool:
    """Excuse a 404 or 410 to a deletion that was sent again after a failure; return whether the next one is excused.

    The failure may have come although the service deleted the request.
    """
    answer = exchange.response
    assert answer is not None
    if unavailable and answer.status in MISSING and exchange.intent.request in ("existing", "clean-up"):
        exchange.error = ErrorKind.UNAVAILABLE
        exchange.error_detail = f"status {answer.status}, when it was repeated after a failure"
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


class LastingErrors:
    """Server errors that were still there at the last attempt: the run waits for the end of none like them any more.

    A service that fails for seconds, such as for want of a connection to its database, fails the call again at once.
    """

    def __init__(self) -> None:
        self._known: set[tuple[Operation | None, int]] = set()

    def pause(self, exchange: Exchange, attempt: int) -> float | None:
        """Return the seconds to wait before the next attempt of a call that failed twice, or None if there is none."""
        assert exchange.response is not None
        kind = exchange.operation, exchange.response.status
        if kind in self._known:
            return None
        if attempt == TRIES:
            self._known.add(kind)
            return None
        return pause(attempt)


def pause(attempt: int) -> float:
    """Return the seconds between two attempts of a call, where the service asks for no other time."""
    return float(0.25 * 2**attempt)


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
    told = retry_after(answer.header("retry-after"), now)
    exchange.error = ErrorKind.RATE_LIMITED if too_many else ErrorKind.UNAVAILABLE
    exchange.error_detail = f"status {answer.status}" + (f", Retry-After {told:g} s" if told is not None else "")
    nothing_done = too_many or answer.status not in DONE_OR_NOT
    again = nothing_done or exchange.request.method in ("GET", "DELETE") or must_be_refused(exchange) is not None
    if attempt == TRIES or not again:
        return None
    return min(told, LONGEST_WAIT) if told is not None else pause(attempt)
