"""The headline of a wrong status: what is wrong, in the words of a reader who does not know the call."""

from __future__ import annotations

from typing import Final

from conformance.facts.answers import shows_no_request
from conformance.facts.kind import meaning_of
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import describe
from conformance.model.exchange import Exchange, Operation

_SUBJECTS: Final = {
    "known": "A creation for listed data types",
    "labelled": "A creation for listed data types",
    "omitted": "A creation without a body",
    "empty": "A creation without a body",
    "unknown": "A creation with an unknown data type",
    "unknown-labelled": "A creation with an unknown data type",
    "unprintable": "A creation with an unprintable data type",
    "supported": "A supported language",
    "unsupported": "An unsupported language",
    "malformed": "A malformed language",
}
"""What a headline on a creation or on the data types is about, by what the call asks."""

_REQUESTS: Final = {
    **dict.fromkeys(("unknown", "odd", "underscored", "reserved"), "A request that does not exist"),
    "foreign": "Another user's request",
}
"""What a headline on a reading or a deletion is about."""

_DONE: Final = {Operation.READ: "read", Operation.DELETE: "deleted"}
_STILL_DONE: Final = {Operation.READ: "still be read", Operation.DELETE: "be deleted again"}


def wrong_status(exchange: Exchange, status: int, expected: str, asked: str = "") -> str:
    """Return the message for a response with `status` instead of the `expected` one: headline, then the call.

    `asked` adds to the description of the call, such as ", in 'nl'".
    """
    answer = exchange.response
    accepted = 200 <= status < 300 and not (answer is not None and shows_no_request(exchange, answer))
    headline = _headline(exchange, accepted, expected.startswith("2"), status)
    call = f"{describe(exchange)}{asked.removesuffix(',')}"
    return f"{headline}: {status} instead of {expected}. The call: {call}{'' if call.endswith('…') else '.'}"


def _headline(exchange: Exchange, accepted: bool, wanted: bool, status: int) -> str:
    """Return what is wrong; `accepted` says what the service did, and `wanted` what it has to do."""
    operation = exchange.operation
    if operation is None:
        return "The wrong status"
    if operation in _DONE:
        return _of_a_request(exchange, operation, accepted, wanted)
    by, subject = _by(exchange), _SUBJECTS.get(meaning_of(exchange))
    if operation is Operation.CREATE:
        subject = f"A creation{by}" if by else subject or "A creation"
        if accepted != wanted and (accepted or status >= 400):
            return f"{subject} is {'accepted' if accepted else 'refused'}"
        return f"{subject} has the wrong status"
    if operation is Operation.DATA and accepted != wanted and subject:
        return f"{subject} is {'accepted' if accepted else 'refused'}"
    refused = wanted and status in (401, 403) and exchange.request.credential not in KNOWN_CREDENTIALS
    return f"{operation.call} is refused without a token" if refused else f"{operation.call} has the wrong status"


def _of_a_request(exchange: Exchange, operation: Operation, accepted: bool, wanted: bool) -> str:
    deleted, by = exchange.intent.request == "deleted", _by(exchange)
    subject = "A deleted request" if deleted else _REQUESTS.get(meaning_of(exchange), "A request")
    if accepted and not wanted:
        return f"{subject} can {_STILL_DONE[operation] if deleted else f'be {_DONE[operation]}'}{by}"
    if wanted and not accepted:
        return f"{subject} cannot be {_DONE[operation]}{by}"
    verb = "Reading" if operation is Operation.READ else "Deleting"
    return f"{verb} {subject[0].lower()}{subject[1:]}{by} has the wrong status"


def _by(exchange: Exchange) -> str:
    """Return which token the call had, unless it was that of a known user."""
    credential = exchange.request.credential
    usual = "" if credential in KNOWN_CREDENTIALS else f" with {credential}"
    return " without a token" if credential == "no token" else usual
