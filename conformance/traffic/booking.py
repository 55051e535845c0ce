"""What an answer says of the data requests of the run: which one was created, which is gone, which is back."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final
from urllib.parse import unquote

import httpx

from conformance.model.error_table import CONDITIONS, KNOWN_CREDENTIALS, is_due_a_request
from conformance.traffic.exchange import Answer, Exchange, Operation
from conformance.traffic.journal import Journal
from conformance.traffic.record import request_id_of

_TABLED: Final = frozenset(row.error for row in CONDITIONS)

OF_GATEWAYS: Final = frozenset({408, 425, 502, 503, 504, 509, *range(520, 531), 598, 599})
"""Statuses by which what stands before the service says that it came to no answer, for the time being."""

_DONE_OR_NOT: Final = OF_GATEWAYS - {408, 425, 503, 509}
"""Those of them after which the service may have done what was asked."""

_NAMES_OF_AN_IDENTIFIER = ("requestid", "request_id", "id", "uuid")


def names_a_tabled_error(answer: Answer) -> bool:
    """Tell whether the body names an error of the table (7)."""
    value = answer.document.value
    named = value.get("error") if isinstance(value, dict) else None
    return isinstance(named, str) and named in _TABLED


def identifier_in(body: Any, depth: int = 3) -> str | None:
    """Return what looks like the identifier of a created request, so that even a faulty answer can be cleaned up."""
    if isinstance(body, list):
        body = body[0] if len(body) == 1 else None
    if not isinstance(body, dict) or not depth:
        return None
    if isinstance(body.get("requestId"), str) and body["requestId"]:
        return str(body["requestId"])  # other members may differ from it in case only
    names = {name.lower(): value for name, value in body.items() if isinstance(value, str) and value}
    for name in _NAMES_OF_AN_IDENTIFIER:
        if name in names:
            return names[name]
    inner = (identifier_in(value, depth - 1) for value in body.values() if isinstance(value, dict | list))
    return next((found for found in inner if found is not None), None)


def _identifier_in_location(answer: Answer) -> str | None:
    """Return the identifier in the address that Location gives: of a data request, whatever stands before its path."""
    with suppress(httpx.InvalidURL):
        path = httpx.URL(answer.header("location") or "").raw_path.decode("ascii").partition("?")[0].rstrip("/")
        *_, collection, segment = ["", *path.split("/")]
        if collection == "requests" and segment:
            return unquote(segment)
    return None


class Booking:
    """Enters in the journal what the answers of a run say."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def was_gone(self, exchange: Exchange) -> bool:
        """Tell whether an exchange reads what is no longer there, as far as the journal knows."""
        if exchange.operation is not Operation.READ:
            return False
        request_id = request_id_of(exchange)
        return request_id in self._journal.gone or request_id in self._journal.lost

    def book(self, exchange: Exchange, answer: Answer, *, was_gone: bool) -> None:
        """Enter what an answer says was created or is gone, or is there though it `was_gone` before."""
        credential = exchange.question.credential
        if exchange.operation is Operation.CREATE:
            self._book_creation(exchange, answer)
        elif exchange.facts.get("racing") and (answer.status == 404 or exchange.operation is Operation.READ):
            return  # what the other calls of the race are told decides
        elif exchange.operation is Operation.DELETE and (answer.status == 404 or 200 <= answer.status < 300):
            request_id = request_id_of(exchange)
            if self._journal.live.get(request_id) == credential:
                self._journal.was_deleted(request_id, confirmed=answer.status != 404)
        elif was_gone and answer.status == 200 and credential in KNOWN_CREDENTIALS:
            self._journal.is_back(request_id_of(exchange), credential)

    def _book_creation(self, exchange: Exchange, answer: Answer) -> None:
        accepted = 200 <= answer.status < 300
        request_id = identifier_in(answer.document.value) if accepted else None
        if request_id is None and 200 <= answer.status < 400:
            request_id = _identifier_in_location(answer)
        if request_id is not None:
            self._journal.was_created(request_id, exchange.question.credential)
        elif names_a_tabled_error(answer):
            self._journal.was_refused()
        elif accepted:
            self._journal.has_unknown_outcome("the answer names no requestId")
        elif answer.status in _DONE_OR_NOT:
            self._journal.has_unknown_outcome(f"a gateway answered {answer.status}")
        elif answer.status >= 500 and answer.status not in OF_GATEWAYS and is_due_a_request(exchange):
            # Whoever fails over a creation that is due may have failed after it was made.
            self._journal.has_unknown_outcome(f"the service answered {answer.status}")
        else:
            self._journal.was_refused()
