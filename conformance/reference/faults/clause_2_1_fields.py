"""Faults of clause 2.1: the fields of a data request other than its identifier."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from conformance.reference.call import Call, Operation
from conformance.reference.changes import (
    Change,
    When,
    after_first,
    always,
    declare,
    mapped,
    on_request,
    one_in_ten,
    put,
    renamed,
    without,
)
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_CREATE, _READ = Operation.CREATE, Operation.READ
_CREATED_AT_TOO = ("2.1-createdAt-value", "4.2-agrees-with-creation")
_TYPES_TOO = ("2.1-dataRequested-known", "4.1-requested-types", "4.1-body-omitted", "4.2-agrees-with-creation")


def _moment(value: str) -> datetime:
    return datetime.fromisoformat(value)


def _created_at(
    name: str, summary: str, change: Change, *operations: Operation, when: When = always, row: str = "2.1-createdAt"
) -> None:
    declare(row, name, summary, on_request(change, *operations, when=when), *_CREATED_AT_TOO)


_created_at("created-at-absent", "The column is not part of the view that is serialised.", without("createdAt"))
_created_at(
    "created-at-snake-case", "The serialiser's naming policy is snake_case.", renamed("createdAt", "created_at")
)
_created_at(
    "created-at-epoch-number",
    "Milliseconds since 1970, as the database keeps them.",
    mapped("createdAt", lambda value: int(_moment(value).timestamp() * 1000)),
)
_created_at(
    "created-at-without-offset",
    "A date-time without a time zone, written as it stands in the database.",
    mapped("createdAt", lambda value: value.removesuffix("Z")),
)
_created_at("created-at-date-only", "Only the date is kept.", mapped("createdAt", lambda value: value[:10]))
_created_at(
    "created-at-with-space",
    "The database's own notation, with a space and no offset.",
    mapped("createdAt", lambda value: value[:19].replace("T", " ")),
)
_created_at(
    "created-at-http-date",
    "The notation of HTTP headers.",
    mapped("createdAt", lambda value: _moment(value).strftime("%a, %d %b %Y %H:%M:%S GMT")),
)
_created_at(
    "created-at-offset-without-colon",
    "strftime's %z, which writes +0000.",
    mapped("createdAt", lambda value: value.replace("Z", "+0000")),
)
_created_at(
    "created-at-null-on-create",
    "The database sets the moment, and the object is not read back after the insertion.",
    put(createdAt=None),
    _CREATE,
)
_created_at(
    "created-at-without-offset-on-read",
    "Reading goes through another serialiser than creating.",
    mapped("createdAt", lambda value: value.removesuffix("Z")),
    _READ,
)
_created_at(
    "created-at-null-in-one-of-ten",
    "A replica that lags behind has no moment yet.",
    put(createdAt=None),
    when=one_in_ten,
)


def _shifted(**span: float) -> Change:
    return mapped("createdAt", lambda value: (_moment(value) + timedelta(**span)).isoformat())


_created_at(
    "created-at-is-zero",
    "The moment was never set and shows as the beginning of 1970.",
    put(createdAt="1970-01-01T00:00:00Z"),
    row="2.1-createdAt-value",
)
_created_at(
    "created-at-is-year-one",
    "The moment was never set and shows as the platform's smallest date.",
    put(createdAt="0001-01-01T00:00:00Z"),
    row="2.1-createdAt-value",
)
_created_at(
    "created-at-is-fixed",
    "The moment at which the service was built is taken for the moment of the request.",
    put(createdAt="2024-02-29T12:00:00Z"),
    row="2.1-createdAt-value",
)
_created_at(
    "created-at-is-the-deadline",
    "The moment by which the request has to be answered is put into the wrong field.",
    _shifted(days=30),
    row="2.1-createdAt-value",
)
_created_at(
    "created-at-a-month-early",
    "Months are counted from zero.",
    _shifted(days=-31),
    row="2.1-createdAt-value",
)
_created_at(
    "created-at-a-year-late-on-read",
    "The week-based year of a pattern, in the serialiser of one operation.",
    _shifted(days=365),
    _READ,
    row="2.1-createdAt-value",
)


def _field(row: str, name: str, summary: str, change: Change, *operations: Operation, when: When = always) -> None:
    declare(row, name, summary, on_request(change, *operations, when=when))


_EXPECTED = "2.1-expectedCompletion"
_field(_EXPECTED, "expected-completion-null", "An unknown moment is written as null.", put(expectedCompletion=None))
_field(
    _EXPECTED,
    "expected-completion-date-only",
    "The back office plans in days.",
    put(expectedCompletion="2031-12-24"),
)
_field(_EXPECTED, "expected-completion-in-days", "A number of days instead of a moment.", put(expectedCompletion=30))
_field(
    _EXPECTED,
    "expected-completion-in-words",
    "A sentence for people instead of a moment.",
    put(expectedCompletion="within 30 days"),
)
_field(
    _EXPECTED,
    "expected-completion-empty-on-create",
    "Not planned yet: empty text.",
    put(expectedCompletion=""),
    _CREATE,
)
_field(
    _EXPECTED,
    "expected-completion-without-offset-on-read",
    "The planning tool knows no time zones.",
    put(expectedCompletion="2031-12-24T12:00:00"),
    _READ,
)
_field(
    _EXPECTED,
    "expected-completion-null-in-one-of-ten",
    "Some requests have not been planned.",
    put(expectedCompletion=None),
    when=one_in_ten,
)

_COMPLETED = "2.1-isCompleted"
_field(_COMPLETED, "is-completed-absent", "False values are left out.", without("isCompleted"))
_field(_COMPLETED, "is-completed-text", "The flag is text in the database.", put(isCompleted="false"))
_field(_COMPLETED, "is-completed-number", "The flag is a tiny integer in the database.", put(isCompleted=0))
_field(_COMPLETED, "is-completed-status", "A status word instead of the flag.", renamed("isCompleted", "status"))
_field(_COMPLETED, "is-completed-misspelt", "The getter's prefix is dropped.", renamed("isCompleted", "completed"))
_field(_COMPLETED, "is-completed-null-on-create", "The flag is set by the database.", put(isCompleted=None), _CREATE)
_field(_COMPLETED, "is-completed-absent-on-read", "Two serialisers, one field short.", without("isCompleted"), _READ)
_field(
    _COMPLETED,
    "is-completed-absent-after-first",
    "A cache keeps the object without the fields that change.",
    without("isCompleted"),
    when=after_first,
)
_field(_COMPLETED, "is-completed-null-in-one-of-ten", "A lagging replica.", put(isCompleted=None), when=one_in_ten)


def _completed_at(name: str, summary: str, change: Change, *operations: Operation, when: When = always) -> None:
    declare("2.1-completedAt", name, summary, on_request(change, *operations, when=when), complete_after=0.0)


_completed_at(
    "completed-at-null", "The moment of completion is not recorded, and shown as null.", put(completedAt=None)
)
_completed_at("completed-at-true", "A flag in the place of a moment.", put(completedAt=True))
_completed_at(
    "completed-at-epoch-number",
    "Seconds since 1970.",
    mapped("completedAt", lambda value: int(_moment(value).timestamp())),
)
_completed_at("completed-at-date-only", "Only the date is kept.", mapped("completedAt", lambda value: value[:10]))
_completed_at(
    "completed-at-without-offset-on-read",
    "Reading goes through another serialiser than creating.",
    mapped("completedAt", lambda value: value.removesuffix("Z")),
    _READ,
)


def _types(name: str, summary: str, change: Change, *operations: Operation, when: When = always) -> None:
    declare("2.1-dataRequested", name, summary, on_request(change, *operations, when=when), *_TYPES_TOO)


_types("data-requested-absent", "The types are on another page of the portal.", without("dataRequested"))
_types("data-requested-null", "The relation is not loaded.", put(dataRequested=None))
_types("data-requested-joined", "One text with commas, as in the database.", mapped("dataRequested", ",".join))
_types(
    "data-requested-as-objects",
    "Whole objects where identifiers are meant.",
    mapped("dataRequested", lambda types: [{"type": each} for each in types]),
)
_types(
    "data-requested-as-numbers",
    "The keys of the rows instead of the identifiers.",
    mapped("dataRequested", lambda types: list(range(1, len(types) + 1))),
)
_types(
    "data-requested-as-map",
    "A set is serialised as an object.",
    mapped("dataRequested", lambda types: dict.fromkeys(types, True)),
)
_types(
    "single-data-requested-as-text",
    "A converter from XML makes no array of a single element.",
    mapped("dataRequested", lambda types: types[0] if len(types) == 1 else types),
)
_types("data-requested-absent-on-read", "The relation is not loaded when reading.", without("dataRequested"), _READ)
_types("data-requested-null-in-one-of-ten", "A lagging replica.", put(dataRequested=None), when=one_in_ten)


def _known(name: str, summary: str, change: Change, *operations: Operation, when: When = always) -> None:
    declare(
        "2.1-dataRequested-known",
        name,
        summary,
        on_request(change, *operations, when=when),
        "4.1-requested-types",
        "4.1-body-omitted",
        "4.2-agrees-with-creation",
    )


_known(
    "data-requested-in-upper-case",
    "Identifiers are normalised on their way to the database.",
    mapped("dataRequested", lambda types: [each.upper() for each in types]),
)
_known(
    "data-requested-with-internal-type",
    "A type that is always gathered but not published is shown.",
    mapped("dataRequested", lambda types: [*types, "_audit"]),
)
_known(
    "data-requested-prefixed-on-read",
    "Reading shows the internal names.",
    mapped("dataRequested", lambda types: ["crm." + each for each in types]),
    _READ,
)


class _Descriptions(Service):
    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        texts = {each.type: each.described_in("en") for each in self.types}
        document = super().document(request, call)
        return document | {"dataRequested": [texts[each] for each in request.types]}


declare(
    "2.1-dataRequested-known",
    "data-requested-as-descriptions",
    "Descriptions where identifiers are meant.",
    _Descriptions,
    "4.1-requested-types",
    "4.1-body-omitted",
)
