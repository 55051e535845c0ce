"""Which status a question demands, by what it meant to ask and what is known of the run (4, 5, 7)."""

from __future__ import annotations

import re
from typing import Final

from conformance.model.error_table import (
    CONDITIONS,
    INVALID_DATA_TYPES,
    KNOWN_CREDENTIALS,
    LIMIT_REACHED,
    ON_DATA_REQUESTS,
    wants_a_language,
)
from conformance.model.exchange import Exchange, Operation, Response, had_expired, request_id_of
from conformance.model.formats import is_uuid
from conformance.rules.run_context import RunContext, blames_the_token, names_fleeting

_FEW_TYPES: Final = 10
"""So many types are not refused for their number without a word on it."""

_TABLED: Final = ("", *(each.error for each in CONDITIONS))

_OF_NUMBERS: Final = re.compile(r"many|few|max|most|limit|size|length|long|large|exceed|number|count|only", re.I)
"""What a refusal says that is about how many there are, or how long they are."""

MISSING: Final = (404, 410)
"""Answers to a reading by which a request may have completed, though nothing else shows it."""

_OPERATION_WORD = {Operation.CREATE: "create", Operation.READ: "read", Operation.DELETE: "delete"}


def expected_status(exchange: Exchange, answer: Response, known: RunContext) -> tuple[str, int] | None:
    """Return the requirement that says which status this question demands, and that status; None if it is open."""
    operation, intent, credential = exchange.operation, exchange.intent, exchange.request.credential
    if had_expired(exchange):
        return None  # 401 was due to that token, and what was asked is answered by the repetition
    if operation in (Operation.SETTINGS, Operation.DATA):
        if intent.language is not None:
            return None
        clause, slug = ("4.4", "settings") if operation is Operation.SETTINGS else ("4.5", "data")
        if wants_a_language(exchange) and not known.lists_plainly:
            return None  # a documented answer; how to ask for a language is open
        if 300 <= answer.status < 400:
            return None  # sent elsewhere, perhaps to a login: the checks of 4.4, 4.5 and 5.4 find out
        refused = answer.status in (401, 403) and credential == "no token"
        if answer.status in (401, 403) and intent.offered:
            return None  # what a token brings to calls that need none is not stated
        return (f"5.4-{slug}-without-token" if refused else f"{clause}-answers-200"), 200
    if operation not in ON_DATA_REQUESTS or operation is None:
        return None
    if credential not in KNOWN_CREDENTIALS:
        kind = "without-token" if credential == "no token" else "with-bad-token"
        return f"5.3-{_OPERATION_WORD[operation]}-{kind}", 401
    if intent.racing or intent.request == "foreign":
        return None
    refused = answer.status == 401 and blames_the_token(exchange, known)
    if operation is Operation.CREATE:
        return _expected_of_creation(exchange, answer, known, refused)
    return _expected_of_request(exchange, answer, known, refused)


def _expected_of_creation(
    exchange: Exchange, answer: Response, known: RunContext, refused: bool
) -> tuple[str, int] | None:
    body = exchange.intent.body
    if refused and body in ("known types", "omitted", "unknown type"):
        return "5.1-accepts-bearer", 200
    value = answer.document.value
    room = exchange.intent.limit == "room"
    stated = isinstance(value, dict) and value.get("error") == LIMIT_REACHED.error
    evident = answer.status >= 400 and (
        LIMIT_REACHED.error in answer.text or (answer.status, answer.body) in known.full
    )
    limited = not room and (stated or evident)
    if _is_too_long(exchange) or (answer.status in (200, 400) and names_fleeting(exchange, known)):
        return None
    if exchange.intent.label and answer.status >= 400:
        return None  # the label is to be application/json: whether every way to write that is understood is open
    if body in ("known types", "omitted") and not limited and exchange.intent.limit is None:
        return "4.1-answers-200", 200
    if body == "unprintable type":
        # What stands in between may refuse control characters for itself; nobody may accept them.
        return ("7-invalid-data-types", 400) if answer.status == 200 else None
    if body == "unknown type" and not limited:
        return "7-invalid-data-types", 400
    return None


def _expected_of_request(
    exchange: Exchange, answer: Response, known: RunContext, refused: bool
) -> tuple[str, int] | None:
    meant = exchange.intent.request
    if meant not in ("existing", "deleted", "unknown", "clean-up"):
        return None
    missing = meant in ("deleted", "unknown")
    if refused:
        return "5.1-accepts-bearer", 404 if missing else 200
    if missing:
        return ("3-removed" if meant == "deleted" else "7-not-found"), 404
    request_id = request_id_of(exchange)
    if not is_uuid(request_id) or (exchange.operation is Operation.DELETE and answer.status == 404):
        return None  # a request that its deletion does not find is a loss (see losses)
    if exchange.operation is Operation.DELETE and request_id in known.raced:
        return None  # one of the calls at the same time may have removed it
    if exchange.operation is Operation.DELETE:
        return ("3-deletes-completed" if request_id in known.completed else "4.3-answers-ok"), 200
    over = answer.status in MISSING or request_id in known.completed
    if over and not any(each.is_after(exchange) for each in known.in_progress.get(request_id, ())):
        # It may have completed, and a completed request need not be readable: 4.2 reads what is in progress.
        return None
    return "4.2-answers-200", 200


def _is_too_long(exchange: Exchange) -> bool:
    """Tell whether a creation for known types was refused for their number or length, which 8 leaves open."""
    listed, answer = exchange.intent.types, exchange.response
    if answer is None or exchange.intent.body != "known types" or not isinstance(listed, list):
        return False
    body = answer.document.value
    named = isinstance(body, dict) and body.get("error") in (LIMIT_REACHED.error, INVALID_DATA_TYPES.error)
    # A few may be too many as well, for who says in words of its own that it is their number.
    own = isinstance(body, dict) and isinstance(body.get("error"), str) and body["error"] not in _TABLED
    told = own and _OF_NUMBERS.search(answer.text) is not None
    long = answer.status == 413 or (answer.status in (400, 422) and (told or len(listed) > _FEW_TYPES))
    return long and len(listed) > 1 and not named
