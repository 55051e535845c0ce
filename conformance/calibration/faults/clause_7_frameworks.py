"""Faults of clauses 2.4, 5.3 and 7: error answers that frameworks and gateways make themselves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from conformance.calibration import sources
from conformance.calibration.faults.common import SLUGS, members, no_error_object
from conformance.calibration.operators import body, changing, on_refusal, status, text
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.service import Service

_ERROR, _MESSAGE, _OBJECT = "2.4-error", "2.4-message", "2.4-object"


def _body_of(document: dict[str, Any], _content: bytes) -> bytes:
    return Reply.json(document).body


for _condition, _row, _name, _summary, _document in (
    (
        ErrorCondition.UNAUTHORIZED,
        _ERROR,
        "with-detail-only",
        "The framework's own error has a member detail.",
        {"detail": "Not authenticated"},
    ),
    (
        ErrorCondition.UNAUTHORIZED,
        _MESSAGE,
        "with-error-only",
        "The login library's own error has an error only.",
        {"error": "You need to sign in or sign up before continuing."},
    ),
    (
        ErrorCondition.NO_REQUEST,
        _MESSAGE,
        "of-the-default-handler",
        "The default handler sends time, status, error and path, and no message.",
        {"timestamp": "2026-01-31T12:00:00.000+00:00", "status": 404, "error": "Not Found", "path": "/requests"},
    ),
    (
        ErrorCondition.DATA_TYPES,
        _MESSAGE,
        "with-list-of-messages",
        "The framework's validation has a message for each element.",
        {"statusCode": 400, "message": ["each value in must be a known type"], "error": "InvalidDataTypes"},
    ),
    (
        ErrorCondition.LIMIT,
        _ERROR,
        "with-violations",
        "The answer describes the constraint of the database.",
        {"violations": [{"field": "requests", "message": "must not have more than 3 elements"}]},
    ),
):
    add_fault(
        _row,
        f"{SLUGS[_condition]}-{_name}",
        _summary,
        on_refusal(body(partial(_body_of, _document)), _condition),
        consequences=(_ERROR, _MESSAGE, *members(_condition)),
    )


for _condition, _name, _summary, _page, _also in (
    (
        ErrorCondition.NO_REQUEST,
        "as-page-of-the-router",
        "The router answers with its own page.",
        "<!DOCTYPE html><pre>Cannot GET /requests</pre>",
        (),
    ),
    (
        ErrorCondition.LIMIT,
        "as-page-of-the-gateway",
        "The gateway's page for 400.",
        "<html><h1>400 Bad Request</h1>",
        # Nothing in the page says that the limit is the reason: where there is room, the creation is refused.
        ("4.1-answers-200",),
    ),
):
    add_fault(
        "0-bodies-are-json",
        f"{SLUGS[_condition]}-{_name}",
        _summary,
        on_refusal(text(_page, "text/html; charset=utf-8"), _condition),
        consequences=("0-json-media-type", *no_error_object(_condition), *_also),
    )


@fault("0-bodies-are-json", "0-json-media-type", _OBJECT, _ERROR, _MESSAGE, source=sources.BODY_PARSER, at="create")
def unsupported_charset_as_page_of_the_parser(_service: Service, call: Call) -> Reply | None:
    """The body parser refuses a charset with the framework's error page."""
    if "iso-8859" in call.headers.get("content-type", "").lower():
        page = b'<!DOCTYPE html><pre>UnsupportedMediaTypeError: unsupported charset "ISO-8859-1"</pre>'
        return Reply(415, page, {"content-type": "text/html; charset=utf-8"})
    return None


def _other_words(error: Mapping[str, str]) -> type[Service]:
    """Return the service that has an error object of its own for invalid tokens."""

    def change(_service: Service, reply: Reply, condition: ErrorCondition, call: Call) -> Reply:
        if condition is ErrorCondition.UNAUTHORIZED and call.authorization and call.operation is not Action.DATA_ME:
            return Reply(reply.status, Reply.json(error).body, reply.headers)
        return reply

    return changing("refuse", change)


add_fault(
    "7-unauthorized-error",
    "unauthorized-by-library-for-bad-tokens",
    "The service answers a missing token correctly; the library answers an invalid one with its own words.",
    _other_words({"error": "invalid_token", "error_description": "The token is malformed"}),
    consequences=(_MESSAGE, "7-unauthorized-message"),
)
add_fault(
    "7-unauthorized-message",
    "unauthorized-otherwise-for-bad-tokens",
    "An invalid token has its own message.",
    _other_words({"error": "Unauthorized", "message": "Invalid or expired token."}),
    source="7, table, row 4, message",
)


add_fault(
    "7-limit-reached",
    "limit-reached-answers-503",
    "No place is free, so the service reports itself unavailable.",
    on_refusal(status(503), ErrorCondition.LIMIT),
    consequences=("8-limit-enforced", "8-limit-enforced-in-parallel"),
)
