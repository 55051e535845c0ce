"""Faults of clauses 2.4, 5.3 and 7: status, error and message of the table, and what frameworks answer in its place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from conformance.calibration import sources
from conformance.calibration.faults.common import SLUGS, no_error_object
from conformance.calibration.operators import beside, changing, on_error, on_refusal, one_in_ten, put, status, text
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import JSON, PROBLEMS, Action, Call, ErrorCondition, Reply
from conformance.reference.service import Service

_ERRORS = {
    ErrorCondition.LIMIT: ("MaximumAmountOfRequestReached", "MaximumNumberOfRequestsReached", "TooManyRequests"),
    ErrorCondition.DATA_TYPES: ("InvalidDataType", "InvalidDatatypes", "Bad Request"),
    ErrorCondition.LANGUAGE: ("LanguageNotsupported", "UnsupportedLanguage", "Bad Request"),
    ErrorCondition.UNAUTHORIZED: ("unauthorized", "Unauthorised", "invalid_token"),
    ErrorCondition.NO_REQUEST: ("NotFound", "Not found", "RequestNotFound"),
}
_MESSAGES = {
    ErrorCondition.LIMIT: "The maximum number of requests has been reached.",
    ErrorCondition.DATA_TYPES: (
        "The data types that were specified do not match the available data types for this organisation."
    ),
    ErrorCondition.LANGUAGE: "The language that you are requesting is not supported by this organisation",
    ErrorCondition.UNAUTHORIZED: (
        "You are not authorised. Generate authentication tokens via OAuth to access this resource."
    ),
    ErrorCondition.NO_REQUEST: "Could not find a data request with this ID.",
}
_DUTCH = "Dit verzoek kan niet worden uitgevoerd."


def _flip_stop(message: str) -> str:
    return message[:-1] if message.endswith(".") else message + "."


for _condition, _slug in SLUGS.items():
    for _number, _error in enumerate(_ERRORS[_condition], 1):
        add_fault(
            f"7-{_slug}-error",
            f"{_slug}-error-wrong-{_number}",
            f"The error is written from memory: {_error}.",
            on_error(put(error=_error), _condition),
        )
    for _number, _message in enumerate((_MESSAGES[_condition], _flip_stop(PROBLEMS[_condition].message)), 1):
        add_fault(
            f"7-{_slug}-message",
            f"{_slug}-message-wrong-{_number}",
            f"The message is written from memory: {_message!r}.",
            on_error(put(message=_message), _condition),
        )
    add_fault(
        f"7-{_slug}-message",
        f"{_slug}-message-translated-in-one-of-ten",
        "One of the nodes runs in another locale.",
        on_error(put(message=_DUTCH), _condition, when=one_in_ten),
    )
    add_fault(
        f"7-{_slug}-error",
        f"{_slug}-error-in-lower-case",
        "The service changes error codes to lower case.",
        on_error(lambda each: each | {"error": each["error"].lower().replace(" ", "_")}, _condition),
    )


for _condition in (each for each in SLUGS if each is not ErrorCondition.LANGUAGE):
    add_fault(
        f"7-{SLUGS[_condition]}-message",
        f"{SLUGS[_condition]}-message-in-the-language-of-the-reader",
        "The framework translates its messages into the language of Accept-Language.",
        on_error(
            put(message=_DUTCH),
            _condition,
            among=lambda call: not call.headers.get("accept-language", "en").startswith("en"),
        ),
    )

for _condition, _row, _codes, _also in (
    (
        ErrorCondition.LIMIT,
        "7-limit-reached",
        (403, 409, 422, 429),
        ("8-limit-enforced", "8-limit-enforced-in-parallel"),
    ),
    (ErrorCondition.DATA_TYPES, "7-invalid-data-types", (404, 409, 422, 500), ()),
    (ErrorCondition.LANGUAGE, "7-language-not-supported", (401, 403, 404, 406, 415, 500), ()),
    (ErrorCondition.NO_REQUEST, "7-not-found", (400, 403, 410, 500), ("3-removed",)),
):
    for _code in _codes:
        add_fault(
            _row,
            f"{SLUGS[_condition]}-answers-{_code}",
            f"The service chooses another status of HTTP: {_code}.",
            on_refusal(status(_code), _condition),
            consequences=(*_also, *beside(_code)),
        )
    add_fault(
        _row,
        f"{SLUGS[_condition]}-answers-200",
        "Errors are answers too.",
        on_refusal(status(200), _condition),
        consequences=(*_also, "4.5-array"),
        max_requests=2,
    )


@fault("7-unauthorized-error", "7-unauthorized-message", source=sources.OAUTH_ERRORS, of="error")
def unauthorized_speaks_oauth(_service: Service, document: Any, condition: ErrorCondition, _call: Call) -> Any:
    """The OAuth library's own answer: error and error_description of RFC 6749, and a message."""
    if condition is ErrorCondition.UNAUTHORIZED:
        return {"error": "invalid_token", "error_description": "expired", "message": "The token has expired."}
    return document


@fault(
    "7-invalid-data-types",
    "7-invalid-data-types-*",
    "2.1-dataRequested-known",
    source="7, table, row 2, Condition",
    at="types_match",
)
def unknown_types_are_stored(_service: Service, wanted: list[Any]) -> bool:
    """The service stores the body unchecked."""
    return all(isinstance(each, str) for each in wanted)


@fault("2.1-dataRequested", "2.1-dataRequested-known", source=sources.PHP_IN_ARRAY, of="types_match")
def true_is_as_good_as_a_type(service: Service, _match: bool, wanted: list[Any]) -> bool:
    """The service compares loosely, as in_array of PHP does: true equals every type."""
    return Service.types_match(service, [each for each in wanted if each is not True])


@fault("7-not-found", "3-removed", source="7, table, row 5, Condition", at="delete")
def deleting_nothing_is_ok(service: Service, call: Call) -> Reply | None:
    """A statement that removes no row succeeds too."""
    if service.store.get(call.request_id) is None:
        return Reply(200, b"OK", {"content-type": "text/plain"})
    return None


@fault(
    "7-language-not-supported",
    "7-language-not-supported-*",
    language_selector="query:lang",
    source=sources.NEGOTIATION,
    at="refuse",
)
def unsupported_language_falls_back(service: Service, condition: ErrorCondition, call: Call) -> Reply | None:
    """The service answers in the first language if it does not support the requested one."""
    shown = [service.data_type(each, service.config.languages[0], call) for each in service.types]
    return Reply.json(shown) if condition is ErrorCondition.LANGUAGE else None


@fault("7-limit-reached-error", "7-limit-reached-message", source="7, table, row 1", at="error")
def the_limit_blames_the_types(service: Service, condition: ErrorCondition, call: Call) -> Any:
    """One handler refuses creations, and says that the data types do not match."""
    return service.error(ErrorCondition.DATA_TYPES, call) if condition is ErrorCondition.LIMIT else None


_ERROR, _MESSAGE = "2.4-error", "2.4-message"


def _showing(condition: ErrorCondition, document: Callable[[], Any]) -> type[Service]:
    """Return the service that has another document in place of the error object of a condition."""
    return on_refusal(text(Reply.json(document()).body, JSON), condition)


@fault(_ERROR, _MESSAGE, "7-unauthorized-*", by=partial(_showing, ErrorCondition.UNAUTHORIZED))
def unauthorized_with_detail_only() -> Any:
    """The framework's own error has a member detail."""
    return {"detail": "Not authenticated"}


@fault(_MESSAGE, _ERROR, "7-unauthorized-*", by=partial(_showing, ErrorCondition.UNAUTHORIZED))
def unauthorized_with_error_only() -> Any:
    """The login library's own error has an error only."""
    return {"error": "You need to sign in or sign up before continuing."}


@fault(_MESSAGE, _ERROR, "7-not-found-*", by=partial(_showing, ErrorCondition.NO_REQUEST))
def not_found_of_the_default_handler() -> Any:
    """The default handler sends time, status, error and path, and no message."""
    return {"timestamp": "2026-01-31T12:00:00.000+00:00", "status": 404, "error": "Not Found", "path": "/requests"}


@fault(_MESSAGE, _ERROR, "7-invalid-data-types-*", by=partial(_showing, ErrorCondition.DATA_TYPES))
def invalid_data_types_with_list_of_messages() -> Any:
    """The framework's validation has a message for each element."""
    return {"statusCode": 400, "message": ["each value in must be a known type"], "error": "InvalidDataTypes"}


@fault(_ERROR, _MESSAGE, "7-limit-reached-*", by=partial(_showing, ErrorCondition.LIMIT))
def limit_reached_with_violations() -> Any:
    """The answer describes the constraint of the database."""
    return {"violations": [{"field": "requests", "message": "must not have more than 3 elements"}]}


_HTML = "text/html; charset=utf-8"
add_fault(
    "0-bodies-are-json",
    "not-found-as-page-of-the-router",
    "The router answers with its own page.",
    on_refusal(text("<!DOCTYPE html><pre>Cannot GET /requests</pre>", _HTML), ErrorCondition.NO_REQUEST),
    consequences=("0-json-media-type", *no_error_object(ErrorCondition.NO_REQUEST)),
)
add_fault(
    "0-bodies-are-json",
    "limit-reached-as-page-of-the-gateway",
    "The gateway's page for 400.",
    on_refusal(text("<html><h1>400 Bad Request</h1>", _HTML), ErrorCondition.LIMIT),
    # Nothing in the page says that the limit is the reason: where there is room, the creation is refused.
    consequences=("0-json-media-type", *no_error_object(ErrorCondition.LIMIT), "4.1-answers-200"),
)


@fault("0-bodies-are-json", "0-json-media-type", "2.4-*", source=sources.BODY_PARSER, at="create")
def unsupported_charset_as_page_of_the_parser(_service: Service, call: Call) -> Reply | None:
    """The body parser refuses a charset with the framework's error page."""
    if "iso-8859" in call.headers.get("content-type", "").lower():
        page = b'<!DOCTYPE html><pre>UnsupportedMediaTypeError: unsupported charset "ISO-8859-1"</pre>'
        return Reply(415, page, {"content-type": _HTML})
    return None


def _for_invalid_tokens(error: Callable[[], Any]) -> type[Service]:
    """Return the service that has an error object of its own for invalid tokens."""

    def change(_service: Service, reply: Reply, condition: ErrorCondition, call: Call) -> Reply:
        is_meant = condition is ErrorCondition.UNAUTHORIZED and call.authorization
        return (
            text(Reply.json(error()).body, JSON)(reply) if is_meant and call.operation is not Action.DATA_ME else reply
        )

    return changing("refuse", change)


@fault("7-unauthorized-error", _MESSAGE, "7-unauthorized-message", by=_for_invalid_tokens)
def unauthorized_by_library_for_bad_tokens() -> Any:
    """The service answers a missing token correctly; the library answers an invalid one with its own words."""
    return {"error": "invalid_token", "error_description": "The token is malformed"}


@fault("7-unauthorized-message", source="7, table, row 4, message", by=_for_invalid_tokens)
def unauthorized_otherwise_for_bad_tokens() -> Any:
    """An invalid token has its own message."""
    return {"error": "Unauthorized", "message": "Invalid or expired token."}


add_fault(
    "7-limit-reached",
    "limit-reached-answers-503",
    "No place is free, so the service reports itself unavailable.",
    on_refusal(status(503), ErrorCondition.LIMIT),
    consequences=("8-limit-enforced", "8-limit-enforced-in-parallel"),
)
