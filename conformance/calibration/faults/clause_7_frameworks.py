"""Faults of clauses 2.4, 5.3 and 7: error answers that frameworks and gateways make themselves."""

from __future__ import annotations

from typing import Any

from conformance.calibration.faults.common import SLUGS, members, no_error_object
from conformance.calibration.operators import body, on_refusal, status, text
from conformance.calibration.sources import BODY_PARSER
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.service import Service

_ERROR, _MESSAGE, _OBJECT = "2.4-error", "2.4-message", "2.4-object"


def _own(condition: ErrorCondition, row: str, name: str, summary: str, document: Any) -> None:
    """Declare that the refusal carries `document`, with the required status."""
    shape = () if isinstance(document, dict) else (_OBJECT,)
    add_fault(
        row,
        f"{SLUGS[condition]}-{name}",
        summary,
        on_refusal(body(lambda _content: Reply.json(document).body), condition),
        consequences=(*shape, _ERROR, _MESSAGE, *members(condition)),
    )


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
        _ERROR,
        "with-message-only",
        "The gateway's own error has a message only.",
        {"message": "Unauthorized"},
    ),
    (
        ErrorCondition.UNAUTHORIZED,
        _MESSAGE,
        "with-error-only",
        "The login library's own error has an error only.",
        {"error": "You need to sign in or sign up before continuing."},
    ),
    (
        ErrorCondition.UNAUTHORIZED,
        _ERROR,
        "in-capitals-of-a-wrapper",
        "A wrapper around all answers, with numbers for success and failure.",
        {"success": False, "code": 401, "msg": "Unauthorized", "data": None},
    ),
    (ErrorCondition.UNAUTHORIZED, _OBJECT, "as-empty-array", "An empty collection.", []),
    (
        ErrorCondition.NO_REQUEST,
        _ERROR,
        "with-detail-only",
        "The framework's own error has a member detail.",
        {"detail": "Not found."},
    ),
    (
        ErrorCondition.NO_REQUEST,
        _MESSAGE,
        "of-the-default-handler",
        "The default handler sends time, status, error and path, and no message.",
        {"timestamp": "2026-01-31T12:00:00.000+00:00", "status": 404, "error": "Not Found", "path": "/requests"},
    ),
    (ErrorCondition.NO_REQUEST, _OBJECT, "as-empty-array", "No rows were found.", []),
    (
        ErrorCondition.DATA_TYPES,
        _MESSAGE,
        "with-list-of-messages",
        "The framework's validation has a message for each element.",
        {"statusCode": 400, "message": ["each value in must be a known type"], "error": "InvalidDataTypes"},
    ),
    (
        ErrorCondition.DATA_TYPES,
        _ERROR,
        "with-errors-by-place",
        "The framework's validation lists errors by the position of the element.",
        {"errors": {"[0]": ["is not a valid choice."]}, "title": "One or more validation errors occurred."},
    ),
    (
        ErrorCondition.DATA_TYPES,
        _OBJECT,
        "as-list-of-sentences",
        "The framework's validation sends a list of sentences.",
        ["This is not a valid choice."],
    ),
    (
        ErrorCondition.LIMIT,
        _ERROR,
        "with-violations",
        "The answer describes the constraint of the database.",
        {"violations": [{"field": "requests", "message": "must not have more than 3 elements"}]},
    ),
):
    _own(_condition, _row, _name, _summary, _document)


def _page(condition: ErrorCondition, name: str, summary: str, page: str) -> None:
    add_fault(
        "0-bodies-are-json",
        f"{SLUGS[condition]}-{name}",
        summary,
        on_refusal(text(page, "text/html; charset=utf-8"), condition),
        consequences=(
            "0-json-media-type",
            *no_error_object(condition),
            # Nothing in the page says that the limit is the reason: where there is room, the creation is refused.
            *(("4.1-answers-200",) if condition is ErrorCondition.LIMIT else ()),
        ),
    )


_page(
    ErrorCondition.NO_REQUEST,
    "as-page-of-the-router",
    "The router answers with its own page.",
    "<!DOCTYPE html><pre>Cannot GET /requests</pre>",
)
_page(
    ErrorCondition.DATA_TYPES,
    "as-page-with-trace",
    "Debugging is switched on: a page with the stack trace.",
    "<!DOCTYPE html><h1>ValidationError</h1><pre>at line 1</pre>",
)
_page(ErrorCondition.LIMIT, "as-page-of-the-gateway", "The gateway's page for 400.", "<html><h1>400 Bad Request</h1>")


@fault("0-bodies-are-json", "0-json-media-type", _OBJECT, _ERROR, _MESSAGE, source=BODY_PARSER)
class _UnsupportedCharsetAsPageOfTheParser(Service):
    """The body parser refuses a charset with the framework's error page."""

    async def create(self, call: Call) -> Reply:
        if "iso-8859" in call.headers.get("content-type", "").lower():
            page = b'<!DOCTYPE html><pre>UnsupportedMediaTypeError: unsupported charset "ISO-8859-1"</pre>'
            return Reply(415, page, {"content-type": "text/html; charset=utf-8"})
        return await super().create(call)


class _BadTokens(Service):
    """Answers an invalid token in another way than a missing token."""

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        reply = super().refuse(condition, call)
        if condition is ErrorCondition.UNAUTHORIZED and call.authorization and call.operation is not Action.DATA_ME:
            return Reply(reply.status, self.told().body, reply.headers)
        return reply

    def told(self) -> Reply:
        """Return an answer with the changed body."""
        return Reply.json({"error": "invalid_token", "error_description": "The token is malformed"})


add_fault(
    "7-unauthorized-error",
    "unauthorized-by-library-for-bad-tokens",
    "The service answers a missing token correctly; the library answers an invalid one with its own words.",
    _BadTokens,
    consequences=(_MESSAGE, "7-unauthorized-message"),
)


@fault("7-unauthorized-message", source="7, table, row 4, message")
class _UnauthorizedOtherwiseForBadTokens(_BadTokens):
    """An invalid token has its own message."""

    def told(self) -> Reply:
        return Reply.json({"error": "Unauthorized", "message": "Invalid or expired token."})


def _retry(reply: Reply) -> Reply:
    return Reply(429, reply.body, reply.headers | {"retry-after": "86400"})


add_fault(
    "7-limit-reached",
    "limit-reached-answers-429-until-tomorrow",
    "The service treats the limit as a rate: 429, with the time until the next try.",
    on_refusal(_retry, ErrorCondition.LIMIT),
    consequences=("8-limit-enforced", "8-limit-enforced-in-parallel"),
)
for _condition, _row, _code, _summary, _also in (
    (ErrorCondition.NO_REQUEST, "7-not-found", 204, "Nothing was found.", ("3-removed", "4.2-object")),
    (ErrorCondition.DATA_TYPES, "7-invalid-data-types", 403, "An unavailable type is not permitted.", ()),
    (
        ErrorCondition.LIMIT,
        "7-limit-reached",
        503,
        "No place is free, so the service reports itself unavailable.",
        ("8-limit-enforced",),
    ),
):
    add_fault(
        _row,
        f"{SLUGS[_condition]}-answers-{_code}",
        _summary,
        on_refusal(status(_code), _condition),
        consequences=(*_also, "8-limit-enforced-in-parallel"),
    )
