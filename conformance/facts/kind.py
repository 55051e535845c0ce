"""The kind of a call (`spec/kinds.toml`): what it asks, from its operation, its credential and what it means."""

from __future__ import annotations

import re
from typing import Final

from conformance.model.credential_forms import OTHER_LETTER_CASE
from conformance.model.error_table import KNOWN_CREDENTIALS, ON_DATA_REQUESTS
from conformance.model.exchange import Exchange, Intent, Operation, header
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
    operation = exchange.operation
    if operation is None:
        return ""
    if operation in ON_DATA_REQUESTS and exchange.request.credential not in KNOWN_CREDENTIALS:
        return f"{WORDS[operation]}.{_without_valid_token(exchange)}"
    return f"{WORDS[operation]}.{meaning_of(operation, exchange.intent, exchange.request_id)}"


def meaning_of(operation: Operation | None, intent: Intent, request_id: str) -> str:
    """Return what a call asks, with any credential: the second part of the kind of a call with a valid token."""
    if operation in ON_DATA_REQUESTS and intent.racing:
        return "racing"
    if operation is Operation.CREATE:
        body = _BODIES.get(str(intent.body), "odd")
        if body in ("odd", "unprintable") or not intent.label:
            return body
        return "empty" if intent.label == "empty" else "unknown-labelled" if body == "unknown" else "labelled"
    if operation in ON_DATA_REQUESTS:
        return _of_a_request(str(intent.request), request_id)
    if operation is Operation.SETTINGS and intent.language:
        is_known = intent.language in ("supported", "unsupported") and not intent.unusual
        return "language" if is_known else "odd"
    return str(intent.language or "plain")


def is_plain(request_id: str) -> bool:
    """Tell whether an identifier in a path has only letters, digits and hyphens, which no gateway changes."""
    return _PLAIN_IDENTIFIER.fullmatch(request_id) is not None


def _without_valid_token(exchange: Exchange) -> str:
    credential, sent = exchange.request.credential, header(exchange.request.headers, "authorization") or ""
    if is_marked("authorization", sent):
        return "gate"
    if credential == OTHER_LETTER_CASE:
        return "other-case"
    return "no-token" if credential == ANONYMOUS.label else "bad-token"


def _of_a_request(meant: str, request_id: str) -> str:
    if meant == "unknown" and not is_uuid(request_id):
        # Other characters may stand for others in a path, or change it.
        underscored = is_plain(request_id.replace("_", "-"))
        return "odd" if is_plain(request_id) else "underscored" if underscored else "reserved"
    own = {"existing": "own", "clean-up": "own", "deleted": "own", "lost": "own"}
    return own.get(meant, meant or "unstated")
