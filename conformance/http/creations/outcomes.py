"""What exchanges did at the target, for the journal: which requests they created, deleted, or showed again."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final
from urllib.parse import unquote

import httpx

from conformance.facts.answers import names_a_tabled_error
from conformance.facts.due import due
from conformance.http.creations.journal import Journal
from conformance.model.error_table import KNOWN_CREDENTIALS, REFUSED_IN_OWN_WORDS
from conformance.model.exchange import (
    INTERRUPTED,
    MISSING,
    NEVER_ARRIVED,
    ErrorKind,
    Exchange,
    Operation,
    Response,
    request_id_of,
)
from conformance.model.strict_json import as_strings, parse

OF_GATEWAYS: Final = frozenset({408, 425, 502, 503, 504, 509, *range(520, 531), 598, 599})
"""Statuses by which a gateway reports that it has no response for now."""

DONE_OR_NOT: Final = OF_GATEWAYS - {408, 425, 503, 509}
"""The statuses of these after which the service may have processed the request."""

_CRASHED: Final = frozenset({502, 520})
"""The statuses of these by which it reports that the service closed the connection, or answered no HTTP."""

_WRITTEN: Final = re.compile(r"""["']requestId["']\s*:\s*["']([0-9A-Fa-f-]{36})["']""")
"""The identifier in a body that is not JSON, such as JSON with something after it."""

_NAMES_OF_AN_IDENTIFIER = ("requestid", "request_id", "id", "uuid")


def is_of_no_user(exchange: Exchange) -> bool:
    """Whether a gateway may refuse a creation with any page, or no answer, before it looks for a token."""
    return exchange.request.credential in REFUSED_IN_OWN_WORDS


def counts_as_refused(exchange: Exchange) -> bool:
    """Whether a creation without an answer counts as refused: a service may hang up where the answer is open."""
    hung_up = exchange.error is ErrorKind.CLOSED and exchange.error_detail != INTERRUPTED
    return is_of_no_user(exchange) or (hung_up and exchange.intent.body == "odd")


def _lists_no_types(exchange: Exchange) -> bool:
    """Whether a service may fail at the body of a creation, because it is no array of strings: the answer is open."""
    return exchange.intent.body == "odd" and as_strings(parse(exchange.request.body).value) is None


def identifier_in(body: Any, depth: int = 3) -> str | None:
    """Return what looks like the identifier of a created request, so that it can be deleted after a faulty response."""
    if isinstance(body, list):
        body = body[0] if len(body) == 1 else None
    if not isinstance(body, dict) or not depth:
        return None
    if isinstance(body.get("requestId"), str) and body["requestId"]:
        return str(body["requestId"])  # other members may differ from it only in case
    names = {name.lower(): value for name, value in body.items() if isinstance(value, str) and value}
    for name in _NAMES_OF_AN_IDENTIFIER:
        if name in names:
            return names[name]
    inner = (identifier_in(value, depth - 1) for value in body.values() if isinstance(value, dict | list))
    return next((found for found in inner if found is not None), None)


def _identifier_in_location(response: Response) -> str | None:
    """Return the identifier of the data request that Location points to, or None."""
    with suppress(httpx.InvalidURL):
        path = httpx.URL(response.header("location") or "").raw_path.decode("ascii").partition("?")[0].rstrip("/")
        *_, collection, segment = ["", *path.split("/")]
        if collection == "requests" and segment:
            return unquote(segment)
    return None


def record_outcome(journal: Journal, exchange: Exchange, response: Response) -> None:
    """Note whether a response shows a data request created, deleted, or readable although it had been deleted."""
    credential = exchange.request.credential
    if exchange.operation is Operation.CREATE:
        _record_creation(journal, exchange, response)
    elif exchange.intent.racing and (response.status in MISSING or exchange.operation is Operation.READ):
        return  # the responses to the other calls of the race decide
    elif exchange.operation is Operation.DELETE and (response.status in MISSING or 200 <= response.status < 300):
        request_id = request_id_of(exchange)
        if journal.live.get(request_id) == credential:
            journal.was_deleted(request_id, confirmed=response.status not in MISSING)
    elif _shows_a_deleted_one(exchange, response) and credential in KNOWN_CREDENTIALS:
        journal.is_back(request_id_of(exchange), credential)


def _shows_a_deleted_one(exchange: Exchange, response: Response) -> bool:
    """Whether a call reads a request that was deleted when it began; a deletion beside it may have begun later."""
    if exchange.operation is not Operation.READ or exchange.intent.request not in ("deleted", "lost"):
        return False
    empty = response.text.strip() in ("", "null", "{}", "[]")  # some services answer 200 with nothing, or an error
    return response.status == 200 and not empty and not names_a_tabled_error(response)


def journal_of(exchanges: Iterable[Exchange], before: Journal | None = None) -> Journal:
    """Return a journal in memory of exchanges that are over, in the order of their ends; `before` is what was known."""
    journal = Journal() if before is None else before.copy()
    for each in exchanges:
        record_exchange(journal, each)
    return journal


def record_exchange(journal: Journal, exchange: Exchange) -> None:
    """Note what an exchange that is over did at the target."""
    if exchange.operation is Operation.DELETE and exchange.intent.request == "clean-up":
        journal.is_deleted_by(request_id_of(exchange), exchange.request.credential)
    held_back = exchange.error in NEVER_ARRIVED or exchange.error_detail == INTERRUPTED
    if exchange.operation is Operation.CREATE and (exchange.response is not None or not held_back):
        journal.intend(exchange.request.credential, at_most=sys.maxsize)
        if exchange.response is None and counts_as_refused(exchange):
            journal.was_refused()
        elif exchange.response is None:
            journal.has_unknown_outcome(exchange.error_detail)
    if exchange.response is not None:
        record_outcome(journal, exchange, exchange.response)


def _record_creation(journal: Journal, exchange: Exchange, response: Response) -> None:
    accepted = 200 <= response.status < 300
    request_id = identifier_in(response.document.value) if accepted else None
    if accepted and response.document.problem and "createdAt" in response.text:  # no page that shows its own requestId
        request_id = written[1] if (written := _WRITTEN.search(response.text)) else None
    if request_id is None and 200 <= response.status < 400:
        request_id = _identifier_in_location(response)
    if request_id is not None:
        journal.was_created(request_id, exchange.request.credential)
    elif names_a_tabled_error(response) or (is_of_no_user(exchange) and (not accepted or response.document.problem)):
        journal.was_refused()
    elif accepted:
        journal.has_unknown_outcome("the answer names no requestId")
    elif response.status in _CRASHED and _lists_no_types(exchange):
        journal.was_refused(doubtful=True)  # as where the service hangs up, see `counts_as_refused`
    elif response.status in DONE_OR_NOT and not due(exchange).must_refuse:
        journal.has_unknown_outcome(f"a gateway answered {response.status}")
    elif response.status >= 500 and response.status not in OF_GATEWAYS and due(exchange).document:
        # A service that fails during a valid creation may have stored the request first.
        journal.has_unknown_outcome(f"the service answered {response.status}")
    else:
        journal.was_refused(doubtful=response.status == 503)
