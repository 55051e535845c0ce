"""Faults of clause 2.1: the fields of a data request other than its identifier."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from conformance.calibration.operators import Change, after_first, mapped, on_request, one_in_ten, put, without
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_CREATE, _READ = Action.CREATE, Action.READ
_CREATED_AT_TOO = ("2.1-createdAt-value", "4.2-agrees-with-creation")
_TYPES_TOO = ("2.1-dataRequested-known", "4.1-requested-types", "4.1-body-omitted", "4.2-agrees-with-creation")


def _moment(value: str) -> datetime:
    return datetime.fromisoformat(value)


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


def _shifted(**span: float) -> Change:
    return mapped("createdAt", lambda value: (_moment(value) + timedelta(**span)).isoformat())


for _name, _summary, _service in (
    (
        "created-at-is-zero",
        "The moment is never set and shows as the beginning of 1970.",
        on_request(put(createdAt="1970-01-01T00:00:00Z")),
    ),
    (
        "created-at-is-year-one",
        "The moment is never set and shows as the smallest date of the platform.",
        on_request(put(createdAt="0001-01-01T00:00:00Z")),
    ),
    ("created-at-is-the-deadline", "The deadline is in the wrong field.", on_request(_shifted(days=30))),
    ("created-at-a-month-early", "Months are counted from zero.", on_request(_shifted(days=-31))),
    (
        "created-at-a-year-late-on-read",
        "The serializer of one operation writes the week-based year of a pattern.",
        on_request(_shifted(days=365), _READ),
    ),
):
    add_fault("2.1-createdAt-value", _name, _summary, _service, consequences=_CREATED_AT_TOO)


_EXPECTED = "2.1-expectedCompletion"
for _name, _summary, _service in (
    (
        "expected-completion-empty-on-create",
        "A moment that is not planned yet is an empty string.",
        on_request(put(expectedCompletion=""), _CREATE),
    ),
    (
        "expected-completion-without-offset-on-read",
        "The planning tool knows no time zones.",
        on_request(put(expectedCompletion="2031-12-24T12:00:00"), _READ),
    ),
    (
        "expected-completion-null-in-one-of-ten",
        "Some requests have not been planned.",
        on_request(put(expectedCompletion=None), when=one_in_ten),
    ),
):
    add_fault(_EXPECTED, _name, _summary, _service)

_COMPLETED = "2.1-isCompleted"
for _name, _summary, _service in (
    ("is-completed-null-on-create", "The database sets the flag later.", on_request(put(isCompleted=None), _CREATE)),
    ("is-completed-absent-on-read", "One of two serializers omits a field.", on_request(without("isCompleted"), _READ)),
    (
        "is-completed-absent-after-first",
        "A cache keeps the object without the fields that change.",
        on_request(without("isCompleted"), when=after_first),
    ),
):
    add_fault(_COMPLETED, _name, _summary, _service)


add_fault(
    "2.1-completedAt",
    "completed-at-without-offset-on-read",
    "Reading uses another serializer than creation.",
    on_request(mapped("completedAt", lambda value: value.removesuffix("Z")), _READ),
    complete_after=0.0,
)


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
    add_fault(
        "2.1-dataRequested-known",
        _name,
        _summary,
        _service,
        consequences=("4.1-requested-types", "4.1-body-omitted", "4.2-agrees-with-creation"),
    )


@fault(
    "2.1-dataRequested-known",
    "4.1-requested-types",
    "4.1-body-omitted",
    source="2.1, table, row 6, Meaning, sentence 2",
)
class _DataRequestedAsDescriptions(Service):
    """The service shows descriptions instead of identifiers."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        texts = {each.type: each.described_in("en") for each in self.types}
        document = super().document(request, call)
        return document | {"dataRequested": [texts[each] for each in request.types]}
