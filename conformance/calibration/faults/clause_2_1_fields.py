"""Faults of clause 2.1: the fields of a data request other than its identifier."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from conformance.calibration import sources
from conformance.calibration.operators import Change, after_first, mapped, on_request, put, stamped, without
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_CREATE, _READ = Action.CREATE, Action.READ
_VALUE = "2.1-createdAt-value"
_CREATED_AT_TOO = (_VALUE, "4.2-agrees-with-creation")
_TYPES_TOO = ("2.1-dataRequested-known", "4.1-requested-types", "4.1-body-omitted", "4.2-agrees-with-creation")


def _shifted(name: str, **span: float) -> Change:
    return mapped(name, lambda value: (datetime.fromisoformat(value) + timedelta(**span)).isoformat())


for _name, _summary, _service in (
    (
        "created-at-null-on-create",
        "The database sets the moment, and the service does not read the object again after the insertion.",
        on_request(put(createdAt=None), _CREATE),
    ),
    (
        "created-at-without-offset-on-read",
        "Reading uses another serializer than creation.",
        on_request(mapped("createdAt", lambda value: value.removesuffix("Z")), _READ),
    ),
):
    add_fault("2.1-createdAt", _name, _summary, _service, consequences=_CREATED_AT_TOO)

for _name, _summary, _service in (
    (
        "created-at-is-zero",
        "The moment is never set and shows as the beginning of 1970.",
        on_request(put(createdAt="1970-01-01T00:00:00Z")),
    ),
    ("created-at-is-the-deadline", "The deadline is in the wrong field.", on_request(_shifted("createdAt", days=30))),
    (
        "created-at-a-year-late-on-read",
        "The serializer of one operation writes the week-based year of a pattern.",
        on_request(_shifted("createdAt", days=365), _READ),
    ),
):
    add_fault(_VALUE, _name, _summary, _service, consequences=_CREATED_AT_TOO)

_A_NETWORK: Final = 0.05
"""Seconds added for each call, so that a run in one process lasts as long as a run over a network."""


@fault(_VALUE, clock_step=_A_NETWORK, source=sources.DJANGO_DEFAULT, of="new_request")
def created_at_is_the_first_one(service: Service, made: DataRequest, *_: object) -> DataRequest:
    """The default of the column is evaluated once, when the class is defined."""
    return replace(made, created_at=service.kept.setdefault("createdAt", made.created_at))


add_fault(
    "2.1-createdAt-precise",
    "created-at-is-midnight",
    "The column is a date, so that the moment becomes a midnight.",
    stamped(lambda moment: moment.replace(hour=0, minute=0, second=0, microsecond=0)),
)
add_fault(
    "2.1-createdAt-precise",
    "created-at-is-ten-minutes-behind",
    "A job stamps the rows that it finds in a queue.",
    stamped(lambda moment: moment - timedelta(minutes=10)),
)

add_fault(
    "2.1-expectedCompletion",
    "expected-completion-empty-on-create",
    "A moment that is not planned yet is an empty string.",
    on_request(put(expectedCompletion=""), _CREATE),
)
add_fault(
    "2.1-expectedCompletion",
    "expected-completion-without-offset-on-read",
    "The planning tool knows no time zones.",
    on_request(put(expectedCompletion="2031-12-24T12:00:00"), _READ),
)
add_fault(
    "2.1-expectedCompletion-value",
    "expected-completion-in-the-year-1",
    "The moment was never set, and its default of .NET and Go is written.",
    on_request(put(expectedCompletion="0001-01-01T00:00:00Z")),
)

for _name, _summary, _service in (
    ("is-completed-null-on-create", "The database sets the flag later.", on_request(put(isCompleted=None), _CREATE)),
    ("is-completed-absent-on-read", "One of two serializers omits a field.", on_request(without("isCompleted"), _READ)),
    (
        "is-completed-absent-after-first",
        "A cache keeps the object without the fields that change.",
        on_request(without("isCompleted"), when=after_first),
    ),
):
    add_fault("2.1-isCompleted", _name, _summary, _service)

add_fault(
    "2.1-completedAt",
    "completed-at-without-offset-on-read",
    "Reading uses another serializer than creation.",
    on_request(mapped("completedAt", lambda value: value.removesuffix("Z")), _READ),
    complete_after=0.0,
)
for _name, _summary, _service in (
    ("completed-at-of-1970", "A column was never written.", on_request(put(completedAt="1970-01-01T00:00:00Z"))),
    (
        "completed-at-is-300-days-early",
        "The data was gathered in a batch of last year, and the request shows the day of the batch.",
        on_request(_shifted("completedAt", days=-300)),
    ),
    (
        "completed-at-is-when-it-expires",
        "The service shows the day until which it keeps the result.",
        on_request(_shifted("completedAt", days=30)),
    ),
):
    add_fault("2.1-completedAt-value", _name, _summary, _service, complete_after=0.0)


@fault(
    "2.1-completedAt-value",
    complete_after=0.0,
    clock_step=_A_NETWORK,
    source="2.1, table, row 5, Meaning",
    of="document",
)
def completed_at_is_the_moment_of_reading(service: Service, shown: Any, *_: object) -> Any:
    """The serializer computes completedAt from the flag, by the clock."""
    return shown | {"completedAt": service.timestamp(service.now())} if shown["isCompleted"] else shown


for _name, _summary, _service in (
    (
        "single-data-requested-as-text",
        "A converter from XML makes no array of a single element.",
        on_request(mapped("dataRequested", lambda types: types[0] if len(types) == 1 else types)),
    ),
    ("data-requested-absent-on-read", "The relation is not loaded.", on_request(without("dataRequested"), _READ)),
):
    add_fault("2.1-dataRequested", _name, _summary, _service, consequences=_TYPES_TOO)

for _name, _summary, _service in (
    (
        "data-requested-in-upper-case",
        "The service normalizes identifiers before it stores them.",
        on_request(mapped("dataRequested", lambda types: [each.upper() for each in types])),
    ),
    (
        "data-requested-prefixed-on-read",
        "Reading shows the internal names.",
        on_request(mapped("dataRequested", lambda types: ["crm." + each for each in types]), _READ),
    ),
):
    add_fault("2.1-dataRequested-known", _name, _summary, _service, consequences=_TYPES_TOO[1:])


@fault(
    "2.1-dataRequested-known",
    "4.1-requested-types",
    "4.1-body-omitted",
    source="2.1, table, row 6, Meaning, sentence 2",
    of="document",
)
def data_requested_as_descriptions(service: Service, document: Any, request: DataRequest, *_: object) -> Any:
    """The service shows descriptions instead of identifiers."""
    texts = {each.type: each.described_in("en") for each in service.types}
    return document | {"dataRequested": [texts[each] for each in request.types]}
