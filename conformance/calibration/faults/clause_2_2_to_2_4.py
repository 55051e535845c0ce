"""Faults of clauses 1.4, 2.2 to 2.4 and 9 that no single sample shows: fields, and how whole documents are written."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from conformance.calibration import sources
from conformance.calibration.faults.common import NO_TYPES, SLUGS
from conformance.calibration.operators import (
    Change,
    mapped,
    named,
    on_data_list,
    on_data_types,
    on_error,
    on_refusal,
    on_request,
    on_settings,
    one_in_ten,
    put,
    text,
    without,
)
from conformance.calibration.variant import add_fault, fault, kebab
from conformance.reference.call import Action, Call, ErrorCondition
from conformance.reference.config import REALISTIC
from conformance.reference.service import Service

add_fault(
    "2.2-type",
    "type-absent-in-one-of-ten",
    "A cache is not filled yet.",
    on_data_types(without("type"), when=one_in_ten),
    consequences=NO_TYPES,
)
add_fault(
    "2.2-context",
    "context-null-in-one-answer-of-ten",
    "The context comes from a second system, which fails now and then.",
    on_data_types(put(context=None), when=one_in_ten),
)

add_fault(
    "2.2-context-link-like",
    "context-is-a-sentence",
    "The context explains the data type in words.",
    on_data_types(put(context="Contact details of the customer")),
)


_ALL = "1.4-every-parameter"
_FORM = "2.3-privacyContactEmail-form"
_FIELDS = (
    "forgotPasswordLink",
    "oAuthUrl",
    "privacyPolicy",
    "termsOfService",
    "legalEntity",
    "oAuthClientId",
    "organisationName",
    "privacyContactEmail",
    "supportedLanaguages",
)

for _name in ("privacyPolicy", "privacyContactEmail", "maxNumberOfRequests", "supportedLanaguages"):
    add_fault(
        f"2.3-{_name}",
        f"settings-{kebab(_name)}-absent-in-one-of-ten",
        f"One of the nodes runs a version without {_name}.",
        on_settings(without(_name), one_in_ten),
        consequences=(_ALL, _FORM) if _name == "privacyContactEmail" else (_ALL,),
    )

for _slug, _summary, _missing in (
    ("of-the-edition-before-oauth", "The settings are from the version before OAuth.", ("oAuthUrl", "oAuthClientId")),
    ("limit-only", "The service implements only the fields that one client uses.", _FIELDS),
):
    add_fault(
        _ALL,
        f"settings-{_slug}",
        _summary,
        on_settings(without(*_missing)),
        consequences=(*(f"2.3-{each}" for each in _missing), *((_FORM,) if _missing is _FIELDS else ())),
    )

_change: Change
for _member, _name, _condition, _summary, _change in (
    ("error", "true-for-not-found", ErrorCondition.NO_REQUEST, 'The object says only "error".', put(error=True)),
    ("error", "absent-without-token", ErrorCondition.UNAUTHORIZED, "The gateway's own object.", without("error")),
    ("message", "absent-for-limit", ErrorCondition.LIMIT, "One handler sets no text.", without("message")),
    ("object", "null-for-not-found", ErrorCondition.NO_REQUEST, "The handler returns nothing.", lambda _document: None),
    (
        "object",
        "in-array-for-data-types",
        ErrorCondition.DATA_TYPES,
        "The validator has a list.",
        lambda error: [error],
    ),
):
    _names = ("error", "message") if _member == "object" else (_member,)
    add_fault(
        f"2.4-{_member}",
        f"error-{_member}-{_name}",
        _summary,
        on_error(_change, _condition),
        consequences=tuple(each for name in _names for each in (f"2.4-{name}", f"7-{SLUGS[_condition]}-{name}")),
    )

for _member in ("error", "message"):
    add_fault(
        f"2.4-{_member}",
        f"{_member}-absent-in-one-of-ten",
        "One handler is written without the common error object.",
        on_error(without(_member), when=one_in_ten),
        consequences=(f"7-*-{_member}",),
    )
add_fault(
    "2.4-object",
    "errors-as-plain-text",
    "A plain text.",
    on_refusal(text("You are not authorized."), ErrorCondition.UNAUTHORIZED),
    consequences=("0-*", "2.4-*", "7-unauthorized-*"),
)

add_fault(
    "9-context-replaces-schemaUrl",
    "schema-url-in-one-answer-of-ten",
    "One of the nodes runs the edition before context.",
    on_data_types(named(lambda name: "schemaUrl" if name == "context" else name), when=one_in_ten),
    consequences=("2.2-context-present", "9-schemaUrl-removed"),
)

_READ = Action.READ
_REQUEST = ("2.1-requestId", "2.1-requestId-version", "2.1-createdAt", "2.1-dataRequested", "4.2-agrees-with-creation")


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _pascal(name: str) -> str:
    return name[:1].upper() + name[1:]


for _slug, _summary, _naming in (
    ("in-snake-case", "The naming policy of the serializer is snake_case, for all fields.", _snake),
    ("in-pascal-case", "The naming policy of the serializer is PascalCase, for all fields.", _pascal),
):
    _change = named(_naming)
    add_fault("1.4-every-parameter", f"settings-{_slug}", _summary, on_settings(_change), consequences=("2.3-*",))
    add_fault(
        "2.1-isCompleted",
        f"request-{_slug}",
        _summary,
        on_request(_change),
        consequences=(*_REQUEST, "4.1-object", "4.2-object"),
    )
    add_fault(
        "2.2-processingGround-present",
        f"data-types-{_slug}",
        _summary,
        on_data_types(_change),
        consequences=(
            *(f"2.2-{each}-present" for each in ("description", "context", "isErasable", "isRectifiable")),
            "2.2-type",
            *NO_TYPES,
        ),
    )


def _spelled(change: Callable[[str], str]) -> type[Service]:
    return on_request(mapped("dataRequested", lambda types: [change(each) for each in types]))


@fault("2.1-dataRequested-known", "4.1-requested-types", "4.1-body-omitted", "4.2-agrees-with-creation", by=_spelled)
def data_requested_percent_encoded(name: str) -> str:
    """The service encodes identifiers as in a URL."""
    return quote(name, safe="")


@fault("2.1-dataRequested-known", "4.1-requested-types", "4.1-body-omitted", "4.2-agrees-with-creation", by=_spelled)
def data_requested_with_question_marks(name: str) -> str:
    """Characters that the database cannot store become question marks."""
    return name.encode("ascii", "replace").decode()


@fault(
    "4.2-agrees-with-creation", "2.1-requestId-version", by=lambda turn: on_request(mapped("requestId", turn), _READ)
)
def read_shows_identifier_in_another_byte_order(text: str) -> str:
    """Creation and reading disagree about the byte order of a UUID in the database."""
    turned = [bytes.fromhex(part)[::-1].hex() for part in text.split("-")[:3]]
    return "-".join([*turned, *text.split("-")[3:]])


@fault(
    "2.1-requestId",
    "2.1-requestId-version",
    "4.2-agrees-with-creation",
    by=lambda wrap: on_request(mapped("requestId", wrap)),
)
def request_id_as_object_of_the_database(value: str) -> Any:
    """The document database wraps the value."""
    return {"$oid": value.replace("-", "")[:24]}


@fault("2.3-supportedLanaguages", "4.5-supported-languages", languages=("en",), by=on_settings)
def settings_languages_single_as_text(settings: Any) -> Any:
    """A converter from XML makes no array of a single language."""
    return settings | {"supportedLanaguages": settings["supportedLanaguages"][0]}


@fault("4.5-array", "2.2-type", *NO_TYPES, data_types=REALISTIC[:1], by=on_data_list)
def data_types_single_not_in_array(listing: Any) -> Any:
    """A converter from XML makes no array of a single data type."""
    return listing[0]


@fault("4.5-array", *NO_TYPES, data_types=(), by=on_data_list)
def data_types_null_where_there_are_none(_listing: Any) -> None:
    """The list was never created."""


@fault("2.2-isErasable", "2.2-isRectifiable", source=sources.MYSQL_BOOLEAN, of="data")
def flags_are_numbers_in_other_languages(service: Service, listing: Any, call: Call) -> Any:
    """The texts of other languages come from another table, which stores truth values as bits."""
    if service.language(call) == service.config.languages[0]:
        return listing
    flags = ("isErasable", "isRectifiable")
    return [each | {name: int(each[name]) for name in flags} for each in listing]
