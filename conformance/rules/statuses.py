"""The status that a call must receive, by its intent and what is known of the run (4, 5, 7)."""

from __future__ import annotations

from typing import Final

from conformance.model.error_table import (
    KNOWN_CREDENTIALS,
    LIMIT_REACHED,
    ON_DATA_REQUESTS,
    has_plain_identifier,
    has_unreserved_identifier,
    is_too_long,
    names_the_limit,
    refuses_an_offered_token,
    wants_a_language,
    without_valid_token,
)
from conformance.model.exchange import MISSING, Exchange, Operation, Response, is_missing, request_id_of
from conformance.model.formats import is_uuid
from conformance.rules.run_context import RunContext, blames_the_token, names_fleeting

EMPTY: Final = "empty"
"""The label of a creation without content (4.1)."""


def expected_status(exchange: Exchange, response: Response, known: RunContext) -> tuple[str, int] | None:
    """Return the status that this call must receive, with the requirement that states it; None if it is open."""
    operation, intent, credential = exchange.operation, exchange.intent, exchange.request.credential
    if exchange.renewed:
        return None  # 401 is correct for that token; the repetition is judged
    if operation in (Operation.SETTINGS, Operation.DATA):
        listed = operation is Operation.SETTINGS and intent.language == "supported" and not intent.unusual
        if intent.language is not None and (not listed or response.status in (403, 406)):
            return None  # a firewall may refuse a language, and a server one that it does not have (406)
        clause, slug = ("4.4", "settings") if operation is Operation.SETTINGS else ("4.5", "data")
        if wants_a_language(exchange) and not known.lists_plainly:
            return None  # the specification does not say how to request a language
        if 300 <= response.status < 400:
            return None  # this may be a login: the checks of 4.4, 4.5 and 5.4 decide
        if refuses_an_offered_token(exchange):
            return None
        refused = response.status in (401, 403) and credential == "no token"
        return (f"5.4-{slug}-without-token" if refused else f"{clause}-answers-200"), 200
    if operation not in ON_DATA_REQUESTS or operation is None:
        return None
    if credential not in KNOWN_CREDENTIALS:
        return without_valid_token(operation, exchange)
    if intent.racing or intent.request == "foreign":
        return None
    refused = response.status == 401 and blames_the_token(exchange, known)
    if operation is Operation.CREATE:
        return _expected_of_creation(exchange, response, known, refused)
    return _expected_of_request(exchange, response, known, refused)


def _expected_of_creation(
    exchange: Exchange, response: Response, known: RunContext, refused: bool
) -> tuple[str, int] | None:
    body = exchange.intent.body
    if refused and body in ("known types", "omitted", "unknown type"):
        due = 400 if body == "unknown type" or exchange.intent.limit == "reached" else 200
        return "5.1-accepts-bearer", due
    room = exchange.intent.limit == "room"
    stated = response.member("error") == LIMIT_REACHED.error
    evident = response.status >= 400 and (
        names_the_limit(response) or (response.status, response.content) in known.full
    )
    limited = not room and (stated or evident)
    if is_too_long(exchange) or (response.status in (200, 400) and names_fleeting(exchange, known)):
        return None
    if exchange.intent.label == EMPTY and response.status >= 400:
        return None if limited or exchange.intent.limit is not None else ("4.1-empty-body-labelled", 200)
    if exchange.intent.label and response.status >= 400:
        return None  # the service may refuse unusual media types
    if body in ("known types", "omitted") and not limited and exchange.intent.limit is None:
        return "4.1-answers-200", 200
    if body == "unprintable type":
        # A gateway may refuse control characters in its own way.
        return ("7-invalid-data-types", 400) if response.status == 200 else None
    if body == "unknown type" and not limited:
        return "7-invalid-data-types", 400
    return None


def finds_a_request(exchange: Exchange, response: Response) -> bool:
    """Tell whether a call is answered as by an existing request, or a created one (4.1, 4.2, 4.3)."""
    if response.status != 200:
        return False
    if exchange.operation is Operation.DELETE:
        return response.text.strip() == "OK"
    return isinstance(response.member("requestId"), str)


def _expected_of_request(
    exchange: Exchange, response: Response, known: RunContext, refused: bool
) -> tuple[str, int] | None:
    meant = exchange.intent.request
    if meant not in ("existing", "deleted", "unknown", "clean-up"):
        return None
    missing, request_id = meant in ("deleted", "unknown"), request_id_of(exchange)
    if meant == "unknown" and not is_uuid(request_id):
        # The status is open (4.2-odd-identifiers), but no request has this identifier: the service has to refuse (7).
        found = has_unreserved_identifier(exchange) and finds_a_request(exchange, response)
        unsaid = has_plain_identifier(exchange) and (response.status == 200 or response.status >= 500)
        return ("7-not-found", 404) if found or unsaid else None
    if refused:
        return "5.1-accepts-bearer", 404 if missing else 200
    if missing:
        return ("3-removed" if meant == "deleted" else "7-not-found"), 404
    if not is_uuid(request_id) or (exchange.operation is Operation.DELETE and is_missing(exchange)):
        return None  # a request that its deletion does not find is a loss (see losses)
    if exchange.operation is Operation.DELETE and request_id in known.raced:
        return None  # one of the calls at the same time may have removed it
    if exchange.operation is Operation.DELETE:
        return ("3-deletes-completed" if request_id in known.completed else "4.3-answers-ok"), 200
    over = response.status in MISSING or request_id in known.completed
    if over and not any(each.is_after(exchange) for each in known.in_progress.get(request_id, ())):
        # A request that may have completed need not be readable (4.2).
        return None
    return "4.2-answers-200", 200
