"""Faults of clause 7: status, error and message of each row of the table."""

from __future__ import annotations

from typing import Any

from conformance.calibration import sources
from conformance.calibration.faults.common import SLUGS, translated
from conformance.calibration.operators import beside, on_error, on_refusal, one_in_ten, put, status
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import PROBLEMS, Call, ErrorCondition, Reply
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
        translated(_condition, _DUTCH, lambda call: not call.headers.get("accept-language", "en").startswith("en")),
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
    "7-invalid-data-types-error",
    "7-invalid-data-types-message",
    "2.1-dataRequested-known",
    source="7, table, row 2, Condition",
)
class _UnknownTypesAreStored(Service):
    """The service stores the body unchecked."""

    def types_match(self, wanted: list[Any]) -> bool:
        return all(isinstance(each, str) for each in wanted)


@fault("2.1-dataRequested", "2.1-dataRequested-known", source=sources.PHP_IN_ARRAY)
class _TrueIsAsGoodAsAType(Service):
    """The service compares loosely, as in_array of PHP does: true equals every type."""

    def types_match(self, wanted: list[Any]) -> bool:
        return super().types_match([each for each in wanted if each is not True])


@fault("7-not-found", "3-removed", source="7, table, row 5, Condition", at="delete")
def deleting_nothing_is_ok(service: Service, call: Call) -> Reply | None:
    """A statement that removes no row succeeds too."""
    if service.store.get(call.request_id) is None:
        return Reply(200, b"OK", {"content-type": "text/plain"})
    return None


@fault(
    "7-language-not-supported",
    *(f"7-language-not-supported-{each}" for each in ("error", "message")),
    language_selector="query:lang",
    source=sources.NEGOTIATION,
)
class _UnsupportedLanguageFallsBack(Service):
    """The service answers in the first language if it does not support the requested one."""

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        if condition is ErrorCondition.LANGUAGE:
            language = self.config.languages[0]
            return Reply.json([self.data_type(each, language, call) for each in self.types])
        return super().refuse(condition, call)


@fault("7-limit-reached-error", "7-limit-reached-message", source="7, table, row 1")
class _TheLimitBlamesTheTypes(Service):
    """One handler refuses creations, and says that the data types do not match."""

    def error(self, condition: ErrorCondition, call: Call) -> Any:
        return super().error(ErrorCondition.DATA_TYPES if condition is ErrorCondition.LIMIT else condition, call)
