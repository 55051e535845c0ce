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
from datetime import datetime
from enum import Enum, auto
from typing import Final

from conformance.facts.answers import REFUSING, names_a_tabled_error
from conformance.facts.creation import DONE_OR_NOT, OF_GATEWAYS
from conformance.facts.due import due
from conformance.facts.kind import kind_of
from conformance.http.creations.journal import is_clean_up
from conformance.http.run_time import RunTime
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import describe
from conformance.model.exchange import (
    INTERRUPTED,
    NOT_REACHED,
    ErrorKind,
    Exchange,
    Operation,
    Response,
    Superseded,
    redirect_of,
    same_origin,
)
from conformance.model.formats import http_date
from conformance.model.target import SEVERAL

PATIENCE: Final = 120.0
"""Most seconds that a run spends waiting for Retry-After, half of them for one, and as many again in its clean-up."""

LONGEST_PAUSE: Final = 2.0
"""Seconds of the longest pause before a repetition, unless the service asks for another. Of `SEVERAL`, each is half of
the next: they outlast an outage of a moment. Twice as many, where nothing is there, outlast a restart."""

_ONE_IN: Final = 12
"""Above one in this number of calls of its kind, noise counts: a fault in one of ten answers is a fault.

Simulated with the numbers of calls of a run: of 100 runs, a service that fails one call in ten at random is found in
97, and one that fails one in forty is accused in 2. `SEVERAL` answers of a kind may be noise however few its calls
are: with two, one in forty is accused in 12 of 100.
"""

_OF_OTHERS: Final = frozenset({*range(300, 400), 401, 403, 404, 410, 451})
"""The statuses by which something in front of a service refuses every call: other ones are about the call itself."""

_TO_MALFORMED_CALLS: Final = (400, 404, 405, 501)
"""Statuses of a call whose method begins with the unread body of another one."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One exchange of a call."""

    exchange: Exchange
    is_stale: bool
    """Whether an earlier call on its connection may be the reason of the answer, or of its absence."""


class _Reason(Enum):
    """Why an answer, or its absence, may not be the service's own. Each is tried in this order."""

    NOT_THERE = auto()
    """The call did not reach the service, which may be restarting."""
    DROPPED = auto()
    """The connection was closed without an answer."""
    LATER = auto()
    """The answer asks to retry later."""
    UNREAD_BODY = auto()
    """The answer may be to the unread body of an earlier call."""
    FAILED = auto()
    """The answer is a server error."""
    PAGE = auto()
    """The answer is a refusal that is no JSON: something in front of the service may have sent it."""


class Noise:
    """Whether the calls of a run are made again, and when. Safe to use from several threads."""

    def __init__(self, time: RunTime) -> None:
        self._time = time
        self._patience = dict.fromkeys((False, True), PATIENCE)
        """Seconds that the run still waits, and apart from them those of the clean-up (True)."""
        self._own: set[Hashable] = set()
        """The kinds of noise that came again: they are the service's own, and no call is repeated for them."""
        self._calls: Counter[Hashable] = Counter()
        self._superseded: Counter[Hashable] = Counter()
        self._passing: defaultdict[Hashable, list[Sequence[Attempt]]] = defaultdict(list)
        """Answers that did not come again, and were too many of their kind when they came: more calls follow."""
        self._unanswered: Counter[Hashable] = Counter()
        """Calls of a kind without an answer in a row."""
        self._lock = threading.Lock()

    def is_silent(self, exchange: Exchange) -> bool:
        """Tell whether such calls had no answer so often in a row that the run makes no more of them."""
        return self._unanswered[_kind_of_call(exchange.operation, exchange.request.credential)] >= SEVERAL

    def is_made_again(self, attempts: Sequence[Attempt], ask_settings: Callable[[], Exchange | None]) -> bool:
        """Tell whether a call is made again, given its attempts so far, and wait until then. If not, its answer stays.

        Where the run has no time for the wait, an answer decides nothing.
        """
        exchange = attempts[-1].exchange
        seconds = self._pause(attempts, ask_settings)
        if seconds is None:
            return False
        with self._lock:
            clean_up = is_clean_up(exchange)
            has_time = seconds <= self._patience[clean_up] and seconds < self._time.left()
            if has_time and exchange.error not in NOT_REACHED:
                self._patience[clean_up] -= seconds
        if not has_time:
            if exchange.counts:
                exchange.supersede(Superseded.UNAVAILABLE)
        elif seconds:
            self._time.sleep(seconds)
        return has_time

    def _pause(self, attempts: Sequence[Attempt], ask_settings: Callable[[], Exchange | None]) -> float | None:
        """Return the seconds after which a call is made again; None if its answer stays."""
        *earlier, last = attempts
        exchange, reason = last.exchange, _reason(last)
        usual = None if len(earlier) == SEVERAL else LONGEST_PAUSE / 2 ** (SEVERAL - len(attempts))
        call = _kind_of_call(exchange.operation, exchange.request.credential)
        self._count(kind_of(exchange), call, exchange.error)
        if reason is _Reason.NOT_THERE:
            return self._until_it_is_there(exchange, len(attempts))
        if reason is _Reason.DROPPED:
            return None if earlier else 0.0
        if reason is _Reason.LATER and exchange.response is not None:
            return self._until_later(exchange, exchange.response, usual)
        suspects = [each for each in earlier if each.exchange.counts]
        if suspects and exchange.response is not None and not _is_alike(suspects[-1].exchange, exchange):
            self._supersede(suspects)
            return None
        if reason is None or _kind_of_noise(exchange) in self._own:
            return None
        if exchange.intent.racing:
            exchange.supersede(Superseded.UNAVAILABLE)  # not made again, it does not show whose page it is
            return None
        if suspects:
            return self._until_it_works(exchange, usual if reason is _Reason.FAILED else None)
        control = ask_settings() if reason is _Reason.PAGE else None
        if control is not None and (control.response is None or _is_alike(exchange, control)):
            exchange.supersede(Superseded.UNAVAILABLE)
            control.supersede(Superseded.UNAVAILABLE)
            if usual is None:
                self._time.cut_off(
                    f"Something before the service refuses every call alike, such as {describe(exchange)}"
                )
            return usual
        return None if usual is None else 0.0

    def _until_it_is_there(self, exchange: Exchange, attempts: int) -> float | None:
        """Return the seconds until a call that did not reach the service is made again; it certainly had no effect.

        A service that restarts needs seconds. One that is away longer ends the run.
        """
        if exchange.intent.racing or not self._calls:
            return None
        if attempts > 2 * SEVERAL:
            self._time.cut_off(
                f"{attempts} times {describe(exchange)} did not reach the service ({exchange.error_detail})"
            )
            return None
        return LONGEST_PAUSE / 2.0 ** max(0, SEVERAL - attempts)

    def _until_later(self, exchange: Exchange, answer: Response, usual: float | None) -> float | None:
        """Supersede an answer that asks to retry later, and return the seconds until that; None if it is not repeated.

        429, 403 for a quota and 503 say that nothing was done. Only then is a creation made again, or if it has to be
        refused.
        """
        too_many = _are_too_many(answer)
        exchange.supersede(Superseded.RATE_LIMITED if too_many else Superseded.UNAVAILABLE)
        if usual is None or not (too_many or answer.status not in DONE_OR_NOT or _has_no_effect(exchange)):
            return None
        # A moment in Retry-After is one of the service's clock.
        stated = retry_after(answer.header("retry-after"), http_date(answer.header("date")) or self._time.now())
        return usual if stated is None else min(stated, PATIENCE / 2)

    def _until_it_works(self, exchange: Exchange, usual: float | None) -> float | None:
        """Return the seconds until what came again may end, or None: it is the service's own.

        The run waits once for a status of an operation.
        """
        alike = exchange.operation, exchange.status
        if usual is None or alike in self._own:
            self._own |= {alike, _kind_of_noise(exchange)}
            return None
        return usual

    def _count(self, kind: str, call: Hashable, error: ErrorKind | None) -> None:
        with self._lock:
            if error is None:
                self._calls[kind] += 1
                self._unanswered[call] = 0
                self._allow(kind)
            elif error is ErrorKind.DEADLINE:
                self._unanswered[call] += 1

    def _supersede(self, suspects: Sequence[Attempt]) -> None:
        """Let answers that did not come again decide nothing, unless they are too many of their kind.

        Answers to unread bodies are not counted. From the first one on, the run uses each connection once, so only
        calls follow that were under way.
        """
        if all(_reason(each) is _Reason.UNREAD_BODY for each in suspects):
            for each in suspects:
                each.exchange.supersede(Superseded.MISPLACED)
            return
        kind = kind_of(suspects[0].exchange)
        with self._lock:
            self._passing[kind].append(suspects)
            self._allow(kind)

    def _allow(self, kind: str) -> None:
        """Supersede answers as far as the calls of their kind allow: noise may come early in a run."""
        passing = self._passing[kind]
        while passing and self._superseded[kind] < max(SEVERAL, self._calls[kind] // _ONE_IN):
            self._superseded[kind] += 1
            for each in passing.pop(0):
                is_misplaced = _reason(each) is _Reason.UNREAD_BODY
                each.exchange.supersede(Superseded.MISPLACED if is_misplaced else Superseded.PASSING)


def _reason(attempt: Attempt) -> _Reason | None:
    """Return why an attempt may be noise. Simultaneous calls cannot be repeated alone."""
    exchange, answer, racing = attempt.exchange, attempt.exchange.response, attempt.exchange.intent.racing
    if answer is None:
        if exchange.error in NOT_REACHED:
            return _Reason.NOT_THERE
        dropped = exchange.error is ErrorKind.CLOSED and exchange.error_detail != INTERRUPTED
        return _Reason.DROPPED if dropped and _has_no_effect(exchange) and not racing else None
    if names_a_tabled_error(answer):
        return None
    if _are_too_many(answer) or answer.status in OF_GATEWAYS:
        return _Reason.LATER
    if attempt.is_stale and answer.status in _TO_MALFORMED_CALLS and exchange.operation and not racing:
        return _Reason.UNREAD_BODY
    if exchange.status >= 500:
        own = answer.status in REFUSING or (exchange.intent.generated and exchange.intent.open)
        return _Reason.FAILED if exchange.operation and not racing and not own else None
    return _Reason.PAGE if exchange.operation and _is_page(exchange) else None


def _has_no_effect(exchange: Exchange) -> bool:
    """Tell whether a call can be repeated although the service may have done what it asks.

    A call that has to be refused has no effect. A second deletion has none either, and a request that is left would
    keep its place.
    """
    return exchange.request.method in ("GET", "DELETE") or due(exchange).must_refuse


def _are_too_many(answer: Response) -> bool:
    """Tell whether an answer asks for fewer calls; a 403 with a quota is not about who makes them."""
    quota = answer.header("retry-after") is not None or (answer.header("x-ratelimit-remaining") or "").strip() == "0"
    return answer.status == 429 or (answer.status == 403 and quota)


def _is_page(exchange: Exchange) -> bool:
    """Tell whether something in front of the service may have refused a call, with a body that is no JSON."""
    there = redirect_of(exchange)
    if exchange.intent.unusual or (there is not None and same_origin(there, exchange.request.url)):
        return False  # a GET follows the redirect, and a creation or a deletion may be done
    return exchange.status in _OF_OTHERS and not _is_json(exchange)


def _is_alike(one: Exchange, other: Exchange) -> bool:
    """Tell whether two answers have the same status and are JSON alike, or both are server errors.

    A page with the status of an error of the table may stand before the service's own error.
    """
    if one.status >= 500 and other.status >= 500:
        return True
    return one.status == other.status and _is_json(one) == _is_json(other)


def _is_json(exchange: Exchange) -> bool:
    return exchange.response is not None and not exchange.response.document.problem


def _kind_of_call(operation: Operation | None, caller: str) -> Hashable:
    return operation, caller in KNOWN_CREDENTIALS


def _kind_of_noise(exchange: Exchange) -> Hashable:
    return kind_of(exchange) if exchange.status >= 500 else exchange.operation, exchange.status


def retry_after(value: str | None, now: datetime) -> float | None:
    """Return the seconds, 0 or more, that a Retry-After of `value` asks for at `now` (aware), or None."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    when = http_date(text)
    return None if when is None else max((when - now).total_seconds(), 0.0)
