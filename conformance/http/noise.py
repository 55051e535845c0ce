"""Noise: answers that may not be the service's own. What does not come again when the call is repeated is superseded.

An answer with status 2xx, an error of the table and a wrong document always count. Noise is no answer, a server
error, a refusal that is no JSON, and an answer to the unread body of an earlier call. An answer that asks the client
to retry later decides nothing, and is waited for.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from conformance.facts.answers import names_a_tabled_error
from conformance.facts.creation import DONE_OR_NOT, OF_GATEWAYS
from conformance.facts.due import due
from conformance.facts.kind import kind_of
from conformance.http.clock import retry_after
from conformance.http.record import is_clean_up
from conformance.http.run_time import RunTime
from conformance.model.date_time import http_date
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import describe
from conformance.model.exchange import (
    INTERRUPTED,
    NOT_REACHED,
    ErrorKind,
    Exchange,
    Response,
    Superseded,
    redirect_of,
    same_origin,
)
from conformance.model.verdict import Blame

LONGEST_WAIT: Final = 60.0
"""Seconds that one Retry-After can make a run wait."""

TRIES: Final = 4
"""Attempts of one call: the pauses between them outlast an outage of a moment."""

GIVES_UP_AFTER: Final = 3
"""Unanswered calls in a row, after which a run makes no more of them."""

_ONE_IN: Final = 12
"""Above one in this number of calls of its kind, noise counts: a fault in one of ten answers is a fault.

Simulated with the numbers of calls of a run: of 100 runs, a service that fails one call in ten at random is found in
97, and one that fails one in forty is accused in 2.
"""

_AT_LEAST: Final = 3
"""Answers of a kind that may be noise however few its calls are. With two, one in forty is accused in 12 of 100."""

_OF_OTHERS: Final = frozenset({*range(300, 400), 401, 403, 404, 410, 451})
"""The statuses by which something in front of a service refuses every call: other ones are about the call itself."""

_TO_MALFORMED_CALLS: Final = (400, 404, 405, 501)
"""Statuses of a call whose method begins with the unread body of another one."""

_NO_FAILURES: Final = frozenset({501, 505, 511})
"""Server errors by which a service refuses what it does not offer."""

AGAIN: Final = "Find out what refused these calls, such as a firewall, a gateway or a deployment, and run again."
"""Remedy for a run that an outage ended."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One exchange of a call."""

    exchange: Exchange
    is_stale: bool
    """Whether an earlier call on its connection may be the reason of the answer, or of its absence."""


class Noise:
    """Whether the calls of a run are made again, and when. Safe to use from several threads."""

    def __init__(self, time: RunTime, patience: float) -> None:
        self._time = time
        self._patience = dict.fromkeys((False, True), patience)
        """Seconds that the run still waits, and apart from them those of the clean-up (True)."""
        self._own: set[Hashable] = set()
        """The kinds of noise that came again: they are the service's own, and no call is repeated for them."""
        self._calls: Counter[Hashable] = Counter()
        self._superseded: Counter[Hashable] = Counter()
        self._passing: defaultdict[Hashable, list[Sequence[Attempt]]] = defaultdict(list)
        """Answers that did not come again, and were too many of their kind when they came: more calls follow."""
        self._unanswered: Counter[Hashable] = Counter()
        """Calls of a kind without an answer in a row; of all kinds, those that did not reach the target."""
        self._has_answered = False
        self._lock = threading.Lock()

    def is_silent(self, exchange: Exchange) -> bool:
        """Tell whether such calls had no answer so often in a row that the run makes no more of them."""
        return self._unanswered[_kind_of_call(exchange)] >= GIVES_UP_AFTER

    def pause(self, attempts: Sequence[Attempt], ask_settings: Callable[[], Exchange | None]) -> float | None:
        """Return the seconds after which a call is made again, given its attempts so far; None if its answer stays."""
        *earlier, last = attempts
        exchange, is_last = last.exchange, len(attempts) == TRIES
        if exchange.response is None:
            return self._after_silence(exchange, len(attempts), alone=not earlier)
        self._is_answered(exchange)
        if (wait := self._put_off(exchange, exchange.response, len(attempts))) is not None or exchange.superseded:
            return wait
        if exchange.intent.racing and _is_page(exchange) and _kind_of_noise(exchange) not in self._own:
            exchange.superseded = Superseded.UNAVAILABLE  # not made again, it does not show whose page it is
            return None
        suspects = [each for each in earlier if each.exchange.counts]
        if suspects and not _is_alike(suspects[-1].exchange, exchange):
            self._supersede(suspects)
            return None
        if not _is_noise(last) or _kind_of_noise(exchange) in self._own:
            return None
        if not suspects:
            return None if is_last else 0.0
        if _is_server_error(exchange):
            return self._until_it_ends(exchange, len(attempts))
        control = ask_settings() if len(suspects) == 1 else None
        if control is None or (control.response is not None and not _is_alike(exchange, control)):
            if control is not None and not is_last:
                return 0.0
            self._own.add(_kind_of_noise(exchange))
            return None
        for each in (*(one.exchange for one in suspects), exchange, control):
            each.superseded = Superseded.UNAVAILABLE
        if not is_last:
            return _pause(len(attempts))
        self._end(f"Something before the service refuses every call alike, such as {describe(exchange)}")
        return None

    def _until_it_ends(self, exchange: Exchange, attempt: int) -> float | None:
        """Return the seconds until a server error that came again may end, or None; the run waits once for its like."""
        alike = exchange.operation, exchange.status
        if alike in self._own or attempt == TRIES:
            self._own |= {alike, _kind_of_noise(exchange)}
            return None
        return _pause(attempt)

    def wait(self, exchange: Exchange, seconds: float) -> bool:
        """Wait before a call is made again; return False if the run has not the time: its answer decides nothing."""
        with self._lock:
            clean_up = is_clean_up(exchange)
            has_time = seconds <= self._patience[clean_up] and self._time.reaches(seconds)
            if has_time:
                self._patience[clean_up] -= seconds
        if not has_time:
            exchange.superseded = exchange.superseded or (Superseded.UNAVAILABLE if exchange.response else None)
        elif seconds:
            self._time.sleep(seconds)
        return has_time

    def _put_off(self, exchange: Exchange, answer: Response, attempt: int) -> float | None:
        """Supersede an answer that asks to retry later; return the seconds until that, or None if the run does not.

        429, 403 for a quota and 503 say that nothing was done. Only then is a creation made again, or if it has to be
        refused.
        """
        # A 403 with one of these headers is about the number of calls, not about who makes them.
        names_a_quota = (
            answer.header("retry-after") is not None or (answer.header("x-ratelimit-remaining") or "").strip() == "0"
        )
        too_many = answer.status == 429 or (answer.status == 403 and names_a_quota)
        if (not too_many and answer.status not in OF_GATEWAYS) or names_a_tabled_error(answer):
            return None
        exchange.superseded = Superseded.RATE_LIMITED if too_many else Superseded.UNAVAILABLE
        nothing_done = too_many or answer.status not in DONE_OR_NOT
        again = nothing_done or exchange.request.method in ("GET", "DELETE") or due(exchange).must_refuse
        if attempt == TRIES or not again:
            return None
        # A moment in Retry-After is one of the service's clock.
        stated = retry_after(answer.header("retry-after"), http_date(answer.header("date")) or self._time.now())
        return min(stated, LONGEST_WAIT) if stated is not None else _pause(attempt)

    def _after_silence(self, exchange: Exchange, attempt: int, *, alone: bool) -> float | None:
        """Return the seconds until a call without an answer is made again, or None."""
        if exchange.error in NOT_REACHED:
            if self._has_answered and attempt < TRIES and not exchange.intent.racing:
                return _pause(attempt)  # it may be restarting
            with self._lock:
                self._unanswered[None] += 1
            if self._unanswered[None] == GIVES_UP_AFTER:
                self._end(f"{GIVES_UP_AFTER} calls in a row did not reach the service ({exchange.error_detail})")
        elif exchange.error is ErrorKind.DEADLINE:
            with self._lock:
                self._unanswered[_kind_of_call(exchange)] += 1
        elif exchange.error is ErrorKind.CLOSED and exchange.error_detail != INTERRUPTED and alone:
            # A call that has to be refused has no effect: made again, it shows whether the target is silent to it. A
            # second deletion has none either, and a request that is left would keep its place.
            is_safe = exchange.request.method in ("GET", "DELETE") or due(exchange).must_refuse
            return 0.0 if is_safe and not exchange.intent.racing else None
        return None

    def _is_answered(self, exchange: Exchange) -> None:
        with self._lock:
            self._has_answered = True
            self._calls[kind_of(exchange)] += 1
            self._unanswered[None] = self._unanswered[_kind_of_call(exchange)] = 0
            self._allow(kind_of(exchange))

    def _supersede(self, suspects: Sequence[Attempt]) -> None:
        """Let answers that did not come again decide nothing, unless they are too many of their kind."""
        kind = kind_of(suspects[0].exchange)
        with self._lock:
            self._passing[kind].append(suspects)
            self._allow(kind)

    def _allow(self, kind: str) -> None:
        """Supersede answers as far as the calls of their kind allow: noise may come early in a run."""
        passing = self._passing[kind]
        while passing and self._superseded[kind] < max(_AT_LEAST, self._calls[kind] // _ONE_IN):
            self._superseded[kind] += 1
            for each in passing.pop(0):
                each.exchange.superseded = Superseded.MISPLACED if each.is_stale else Superseded.PASSING

    def _end(self, why: str) -> None:
        self._time.cut_off(why, Blame.NETWORK, AGAIN)


def _pause(attempt: int) -> float:
    """Return the seconds between two attempts of a call, where the service asks for no other time."""
    return float(0.25 * 2**attempt)


def _is_noise(attempt: Attempt) -> bool:
    """Whether an answer may not be the service's own. Simultaneous calls cannot be repeated alone."""
    exchange, answer = attempt.exchange, attempt.exchange.response
    if answer is None or exchange.operation is None or exchange.intent.racing or names_a_tabled_error(answer):
        return False
    if attempt.is_stale and answer.status in _TO_MALFORMED_CALLS:
        return True
    if _is_server_error(exchange):
        return answer.status not in _NO_FAILURES and not (exchange.intent.generated and exchange.intent.open)
    return _is_page(exchange)


def _is_page(exchange: Exchange) -> bool:
    """Tell whether something in front of the service may have refused a call, with a body that is no JSON."""
    there = redirect_of(exchange)
    if exchange.intent.unusual or (there is not None and same_origin(there, exchange.request.url)):
        return False  # a GET follows the redirect, and a creation or a deletion may be done
    return exchange.status in _OF_OTHERS and not _is_json(exchange)


def _is_server_error(exchange: Exchange) -> bool:
    return exchange.status >= 500


def _is_alike(one: Exchange, other: Exchange) -> bool:
    """Tell whether two answers have the same status and are JSON alike, or both are server errors.

    A page with the status of an error of the table may stand before the service's own error.
    """
    if _is_server_error(one) and _is_server_error(other):
        return True
    return one.status == other.status and _is_json(one) == _is_json(other)


def _is_json(exchange: Exchange) -> bool:
    return exchange.response is not None and not exchange.response.document.problem


def _kind_of_call(exchange: Exchange) -> Hashable:
    return exchange.operation, exchange.request.credential in KNOWN_CREDENTIALS


def _kind_of_noise(exchange: Exchange) -> Hashable:
    if not _is_server_error(exchange):
        return exchange.operation, exchange.status, "a page"
    return _kind_of_call(exchange), exchange.intent.request, exchange.intent.body, exchange.status
