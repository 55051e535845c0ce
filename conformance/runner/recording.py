"""The recording of a run: its exchanges, of which each answers one request of a replay."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import Final

from conformance.http.record import CLEAN_UP
from conformance.model.conditions import Conditions
from conformance.model.exchange import CONTROL, Exchange, Intent, header

_SECOND_VALUE: Final = re.compile(r"(\[DRSI_\w+) \d+\]")
"""The mark of a value that a token command gave later: the replay has one stand-in for all values."""

_PER_RUN: Final = ("user-agent", "host", "content-length", "connection", "authorization")
"""Header fields that say nothing about the meaning of a request; the label of its credential says what the last is."""

_OF_THE_CLIENT: Final = ("Host", "User-Agent")
"""Those of them that are the same in each run of one build against one service, for one nonce."""

MOST_UNKNOWN: Final = 10_000
"""Requests without an answer after which a replay ends. Another build may ask a whole run of other questions; only an
altered record can list so many generated calls, or so high a limit, that the checks ask for ever."""


class Recording:
    """The exchanges of a run. Each answers one request of the replay, by its number or else by its content."""

    def __init__(self, exchanges: Iterable[Exchange], conditions: Conditions, started: datetime) -> None:
        self.conditions = conditions
        self.started = started
        self.unknown: list[str] = []
        """The requests of the replay that no exchange answers, in words."""
        self.other_headers: list[tuple[str, str, str]] = []
        """Header fields that this build sends otherwise than the run did: in words, as recorded, and as sent now."""
        self.exchanges = list(exchanges)
        self._unused = {each.id: each for each in self.exchanges}
        self._repetitions = {each.repeats: each for each in self.exchanges if each.repeats and not _is_control(each)}
        self._controls = {each.repeats: each for each in self.exchanges if _is_control(each)}
        self._alike: dict[object, list[Exchange]] = defaultdict(list)
        for each in sorted(self._unused.values(), key=attrgetter("number")):
            for key in (_key_of(each), (each.check, _key_of(each))):
                self._alike[key].append(each)

    def take(self, asked: Exchange) -> Exchange | None:
        """Return the exchange that answers a request, which is free of secrets; no other request gets the same."""
        content = _key_of(asked)
        after = self._controls if _is_control(asked) else self._repetitions
        same = after.get(asked.repeats) if asked.repeats else self._unused.get(asked.id)
        if same is None or _led_to_by(same) != _led_to_by(asked) or _key_of(same) != content:
            alike = (*self._alike[asked.check, content], *self._alike[content])
            unused = (each for each in alike if each.id in self._unused)
            same = next((each for each in unused if _led_to_by(each) == _led_to_by(asked)), None)
        found = None if same is None else self._unused.pop(same.id, None)
        if found is not None:
            self._compare_headers(asked, found)
        return found

    def _compare_headers(self, asked: Exchange, found: Exchange) -> None:
        for name in _OF_THE_CLIENT:
            sent, recorded = (header(each.request.headers, name.lower()) or "" for each in (asked, found))
            if sent != recorded:
                self.other_headers.append((f"{name} of the exchange {found.id}", recorded, sent))

    @property
    def lacks_too_much(self) -> bool:
        """Whether so many requests had no answer that the replay ends."""
        return len(self.unknown) > MOST_UNKNOWN

    def is_repeated(self, exchange: Exchange) -> bool:
        """Tell whether the run sent the request of this exchange again."""
        return exchange.id in self._repetitions

    def has_control(self, exchange: Exchange) -> bool:
        """Tell whether the run made a control after the response to this exchange."""
        return exchange.id in self._controls

    @property
    def unused(self) -> list[Exchange]:
        """The exchanges that answered no request so far, in their order."""
        return sorted(self._unused.values(), key=attrgetter("number"))

    def take_unused(self) -> list[Exchange]:
        """Return the exchanges before the clean-up that answered no request so far, and count them as used."""
        taken = [each for each in self.unused if each.check != CLEAN_UP]
        for each in taken:
            del self._unused[each.id]
        return taken


def _is_control(exchange: Exchange) -> bool:
    return exchange.intent == CONTROL


def _led_to_by(exchange: Exchange) -> str:
    """Return the id of the exchange that led to this one, if one did."""
    return exchange.repeats or exchange.redirected_from


def _key_of(exchange: Exchange) -> tuple[object, ...]:
    """Return what distinguishes a request from others."""
    request = exchange.request
    fields = (
        (name.lower(), _SECOND_VALUE.sub(r"\1]", value))
        for name, value in request.headers
        if name.lower() not in _PER_RUN
    )
    intent = json.dumps(_plain(exchange.intent).stated(), sort_keys=True)
    # A mark may hold a space, which the replay escapes where it follows a redirect to it.
    url = _SECOND_VALUE.sub(r"\1]", request.url.replace("%20", " "))
    return request.method, url, request.body, request.pieces, request.credential, tuple(fields), intent


def _plain(intent: Intent) -> Intent:
    """Return what a call is meant to test, without what depends on the moment.

    The run may have learnt only afterwards that the answer is open or comes from elsewhere.
    """
    return replace(intent, open=False, unusual=False)
