"""The headline of a wrong status: what is wrong, in the words of a reader who does not know the call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from conformance.facts.answers import names_a_tabled_error
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
}
"""What a headline on a creation or on the data types is about, by what the call asks."""

_REQUESTS: Final = {
    **dict.fromkeys(("unknown", "odd", "underscored", "reserved"), "A request that does not exist"),
    "foreign": "Another user's request",
}
"""What a headline on a reading or a deletion is about."""

_DONE: Final[Mapping[Operation | None, str]] = {Operation.READ: "read", Operation.DELETE: "deleted"}


def wrong_status(exchange: Exchange, status: int, expected: str, asked: str = "") -> str:
    """Return the message for a response with `status` instead of the `expected` one: headline, then the call.

    `asked` adds to the description of the call, such as ", in 'nl'".
    """
    headline = _headline(exchange, 200 <= status < 300 and _shows_success(exchange), expected.startswith("2"), status)
    call = f"{describe(exchange)}{asked.removesuffix(',')}"
    return f"{headline}: {status} instead of {expected}. The call: {call}{'' if call.endswith('…') else '.'}"


def _shows_success(exchange: Exchange) -> bool:
    """Tell whether an answer shows a request or its deletion, and no error of the table, as some send with 200.

    Frameworks send 204, null, a page, or an error of their own for what they refuse or do not find.
    """
    answer, operation = exchange.response, exchange.operation
    if answer is None:
        return True
    named = "requestId" in answer.text or (operation is Operation.READ and exchange.request_id in answer.text)
    named |= operation is Operation.DELETE and answer.text.strip() in ("", "OK")
    return (named or operation not in (Operation.CREATE, *_DONE)) and not names_a_tabled_error(answer)


def _headline(exchange: Exchange, accepted: bool, wanted: bool, status: int) -> str:
    """Return what is wrong; `accepted` says what the service did, and `wanted` what it has to do."""
    operation, by = exchange.operation, _by(exchange)
    meaning = meaning_of(operation, exchange.intent, exchange.request_id)
    if operation in _DONE:
        deleted = exchange.intent.request == "deleted"
        subject = "A deleted request" if deleted else _REQUESTS.get(meaning, "A request")
        if accepted != wanted and not (wanted and status < 300):
            return f"{subject} {'can' if accepted else 'cannot'} be {_DONE[operation]}{by}"
        verb = "Reading" if operation is Operation.READ else "Deleting"
        return f"{verb} {subject[0].lower()}{subject[1:]}{by} has the wrong status"
    subject = _SUBJECTS.get(meaning, "")
    if operation is Operation.CREATE:
        subject = f"A creation{by}" if by else subject or "A creation"
        if accepted == wanted or not (accepted or status >= 400):
            return f"{subject} has the wrong status"
    if operation in (Operation.CREATE, Operation.DATA) and accepted != wanted and subject:
        return f"{subject} is {'accepted' if accepted else 'refused'}"
    call = "The call" if operation is None else operation.call
    refused = wanted and status in (401, 403) and exchange.request.credential not in KNOWN_CREDENTIALS
    return f"{call} is refused without a token" if refused else f"{call} has the wrong status"


def _by(exchange: Exchange) -> str:
    """Return which token the call had, unless it was that of a known user."""
    credential = exchange.request.credential
    usual = "" if credential in KNOWN_CREDENTIALS else f" with {credential}"
    return " without a token" if credential == "no token" else usual
