"""The kind of a call (`spec/kinds.toml`): what it asks, from its operation, its credential and what it means."""

from __future__ import annotations

import re
from typing import Final

from conformance.model.credential_forms import OTHER_LETTER_CASE
from conformance.model.error_table import KNOWN_CREDENTIALS, ON_DATA_REQUESTS
from conformance.model.exchange import Exchange, Operation, header, request_id_of
from conformance.model.formats import is_uuid
from conformance.model.further_headers import is_marked
from conformance.model.identity import ANONYMOUS
from conformance.spec.kinds import WORDS

_BODIES: Final = {
    "known types": "known",
    "omitted": "omitted",
    "unknown type": "unknown",
    "unprintable type": "unprintable",
}

_PLAIN_IDENTIFIER: Final = re.compile(r"[0-9A-Za-z-]+")


def kind_of(exchange: Exchange) -> str:
    """Return the kind of a call; "" for a call that is no operation of the interface.

    What an edited record states may be of any type, and is then of no known kind.
    """
    if exchange.operation is None:
        return ""
    without = exchange.operation in ON_DATA_REQUESTS and exchange.request.credential not in KNOWN_CREDENTIALS
    return f"{WORDS[exchange.operation]}.{_without_valid_token(exchange) if without else meaning_of(exchange)}"


def meaning_of(exchange: Exchange) -> str:
    """Return what a call asks, with any credential: the second part of the kind of a call with a valid token."""
    intent = exchange.intent
    if exchange.operation in ON_DATA_REQUESTS and intent.racing:
        return "racing"
    if exchange.operation is Operation.CREATE:
        body = _BODIES.get(str(intent.body), "odd")
        if body in ("odd", "unprintable") or not intent.label:
            return body
        return "empty" if intent.label == "empty" else "unknown-labelled" if body == "unknown" else "labelled"
    if exchange.operation in ON_DATA_REQUESTS:
        return _of_a_request(exchange)
    if exchange.operation is Operation.SETTINGS and intent.language:
        return "language" if intent.language == "supported" and not intent.unusual else "odd"
    return str(intent.language or "plain")


def has_plain_identifier(exchange: Exchange) -> bool:
    """Tell whether the identifier in the path has only letters, digits and hyphens, which no gateway changes."""
    return _PLAIN_IDENTIFIER.fullmatch(request_id_of(exchange)) is not None


def _without_valid_token(exchange: Exchange) -> str:
    credential, sent = exchange.request.credential, header(exchange.request.headers, "authorization") or ""
    if is_marked("authorization", sent.lower()):
        return "gate"
    if credential == OTHER_LETTER_CASE:
        return "other-case"
    return "no-token" if credential == ANONYMOUS.label else "bad-token"


def _of_a_request(exchange: Exchange) -> str:
    meant, request_id = str(exchange.intent.request), request_id_of(exchange)
    if meant == "unknown" and not is_uuid(request_id):
        # Other characters may stand for others in a path, or change it.
        underscored = _PLAIN_IDENTIFIER.fullmatch(request_id.replace("_", "-"))
        return "odd" if has_plain_identifier(exchange) else "underscored" if underscored else "reserved"
    own = {"existing": "own", "clean-up": "own", "deleted": "own", "lost": "own"}
    return own.get(meant, meant or "unstated")
