"""Controls: a plain GET /settings after a refusal that may come from something in front of the service (7).

A firewall bans the client, a gateway has no service behind it, a deployment sends everyone to a page: clause 7 shows
no such response, and the call did not reach the service. Then GET /settings, which the service answers at other times,
is refused with the same status, and the refusal decides nothing. Otherwise the same call once more tells a single such
refusal from the service's own.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable
from typing import Final

import httpx

from conformance.facts.answers import names_a_tabled_error
from conformance.facts.due import due
from conformance.model.exchange import CONTROL, MISSING, ErrorKind, Exchange, Operation, redirect_of, same_origin

_OF_OTHERS: Final = frozenset({*range(300, 400), 401, 403, 404, 410, 451})
"""The statuses by which something in front of a service refuses every call: other ones are about the call itself."""

_OF_ONE_KIND: Final = 2
"""Controls of one refusal that show it as the service's own, before the run makes no more of them."""

_IN_ALL: Final = 20
"""The same for all refusals: some bodies differ in each response."""

_EXCUSED: Final = 2
"""Refusals of one operation that decide nothing because the same call was accepted at once. With more of them, each
may be a call that users have to make twice."""

_ONE_IN: Final = 40
"""The same where the operation has many calls: one in this number. Of simultaneous calls, those of one race, and no
other of the operation until the run made this number of calls: the next race shows whether the race is the cause."""

_OF_ALL: Final = 50
"""While at most one in this number of all calls is such a refusal, those of other operations allow as many more: what
stands in front of a service refuses each operation, and chance decides which one it refuses most often."""


class Controls:
    """What a run knows about refusals that may not be the service's own. Safe to use from several threads."""

    def __init__(self) -> None:
        self._plain: httpx.Request | None = None
        """The request of a plain GET /settings that was answered 200."""
        self._own: Counter[Hashable] = Counter()
        self._calls: Counter[Operation | None] = Counter()
        self._excused: Counter[Operation | None] = Counter()
        self._raced: dict[Operation | None, tuple[int, str]] = {}
        """By operation, the number of calls before the latest refusal of a simultaneous one, and the race of it."""
        self._lock = threading.Lock()

    def learn(self, request: httpx.Request, exchange: Exchange) -> None:
        """Keep the first plain request that controls can repeat, and count the calls."""
        answer, intent = exchange.response, exchange.intent
        plain = exchange.operation is Operation.SETTINGS and exchange.request.credential == "no token"
        plain = plain and not (intent.open or intent.unusual or intent.language)
        with self._lock:
            self._calls[exchange.operation] += 1
            if self._plain is None and plain and answer is not None and answer.status == 200:
                self._plain = httpx.Request("GET", request.url, headers=request.headers)

    def are_needed(self, exchange: Exchange) -> bool:
        """Whether something else than the service may have refused a call, and a control can show it."""
        answer = exchange.response
        if self._plain is None or answer is None or exchange.error is not None or exchange.operation is None:
            return False
        if exchange.intent.unusual or answer.status not in _OF_OTHERS or names_a_tabled_error(answer):
            return False
        there = redirect_of(exchange)
        if there is not None and same_origin(there, exchange.request.url):
            return False  # a GET follows it, and a creation or a deletion may be done
        return self._own[_kind_of(exchange)] < _OF_ONE_KIND and self._own.total() < _IN_ALL

    def after(self, exchange: Exchange) -> httpx.Request:
        """Return the request of a control for a refusal, on a connection of its own: its body may be unread."""
        assert self._plain is not None
        extensions = {"intent": CONTROL, "credential": "no token", "repeats": exchange.id}
        headers = httpx.Headers(self._plain.headers)
        headers["Connection"] = "close"
        return httpx.Request("GET", self._plain.url, headers=headers, extensions=extensions)

    def shows_an_outage(self, refused: Exchange, control: Exchange) -> bool:
        """Tell whether the control was refused alike; then neither of the two decides anything."""
        one, other = refused.response, control.response
        if one is None or other is None or one.status != other.status:
            return False
        for each in (refused, control):
            each.error = ErrorKind.UNAVAILABLE
            each.error_detail = f"status {one.status}, as to GET /settings at the same time: the service saw neither"
        return True

    def allow_another(self, refused: Exchange) -> bool:
        """Whether the same call once more can show that a refusal decides nothing.

        Of simultaneous calls it can in one race, and not in the next of the same operation: alone, a call does not meet
        what refuses it beside others.
        """
        if not refused.intent.racing:
            return True
        with self._lock:
            number, race = self._calls.total(), refused.beside.partition("#")[0]
            before, last = self._raced.get(refused.operation, (-_ONE_IN, ""))
            self._raced[refused.operation] = number, race
        return number - before >= _ONE_IN or (bool(race) and race == last)

    def compare(self, refused: Exchange, again: Exchange) -> None:
        """Let a refusal decide nothing if the same call is answered correctly at once, and few of its operation are."""
        one, other, required, correct = refused.response, again.response, due(refused), False
        if refused.error is not None or one is None:
            return
        if again.error is None and other is not None:
            correct = 200 <= other.status < 300
            if required.must_refuse:
                correct = other.status == required.status and names_a_tabled_error(other)
            elif refused.intent.racing or refused.intent.request not in ("existing", "clean-up"):
                correct |= names_a_tabled_error(other)
        with self._lock:
            most, excused = max(_EXCUSED, self._calls[refused.operation] // _ONE_IN), self._excused.total()
            if excused < self._calls.total() // _OF_ALL:
                most += excused - self._excused[refused.operation]
            if other is not None and correct and self._excused[refused.operation] < most:
                self._excused[refused.operation] += 1
                refused.error = ErrorKind.UNAVAILABLE
                refused.error_detail = f"status {one.status}, but {other.status} when it was repeated at once"
            else:
                self._own[_kind_of(refused)] += 1


def may_be_done(refused: Exchange) -> bool:
    """Whether a refused deletion may have removed the request, so that a 404 to the next one decides nothing.

    In a race it is an answer like any other.
    """
    answer, alone = refused.response, not refused.intent.racing
    return refused.operation is Operation.DELETE and alone and answer is not None and answer.status not in MISSING


def _kind_of(exchange: Exchange) -> Hashable:
    assert exchange.response is not None
    return exchange.operation, exchange.response.status, exchange.response.content
