"""How far a recorded call is from an ordinary valid call of its operation: `deviations`.

Of several calls that show the same, the one with the fewest deviations shows it best: it leaves the fewest other
reasons for the answer. So every view shows that one first.
"""

from __future__ import annotations

from typing import Final

from conformance.model.error_table import ON_DATA_REQUESTS
from conformance.model.exchange import Exchange, Operation
from conformance.model.formats import is_uuid

_FIELDS: Final = ("accept-language", "cookie", "expect", "transfer-encoding")


def deviations(exchange: Exchange) -> int:
    """Return in how many respects a call is not an ordinary valid one.

    Each counts the same, whether it makes the call invalid, such as a made-up token, or is another way to write it.
    """
    intent, request, operation = exchange.intent, exchange.request, exchange.operation
    public = operation in (Operation.SETTINGS, Operation.DATA)
    respects = (
        operation in ON_DATA_REQUESTS and request.credential != "user",
        public and request.credential != "no token",
        intent.request in ("deleted", "lost", "unknown", "foreign"),
        operation in (Operation.READ, Operation.DELETE) and not is_uuid(exchange.request_id),
        intent.body not in ("", "known types", "omitted"),
        intent.label == "empty",
        intent.language in ("unsupported", "malformed"),
        intent.open,
        intent.unusual,
        intent.racing,
        "?" in request.url,
        request.pieces > 1,
        request.headers and all(name.islower() for name, _ in request.headers),
        exchange.redirected_from != "",
        *(deviates(name, value) for name, value in request.headers),
    )
    return sum(map(bool, respects))


def deviates(name: str, value: str) -> bool:
    """Whether a header field is one that most calls lack, or has another value than theirs."""
    match name.lower():
        case "accept":
            return "html" in value
        case "accept-encoding":
            return value != "identity"
        case "content-type":
            return value != "application/json"
    return name.lower() in _FIELDS
