"""Faults of clause 4.2: reading a data request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.calibration import sources
from conformance.calibration.operators import on_request, on_success, one_in_ten, put, status
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_READ = Action.READ
_STATUS = "4.2-answers-200"
_OBJECT = "4.2-object"
_AGREES = "4.2-agrees-with-creation"
_FIELDS = ("2.1-requestId", "2.1-createdAt", "2.1-isCompleted", "2.1-dataRequested", _AGREES)

for _name, _summary, _service in (
    ("read-answers-202", "The request is not completed yet.", on_success(status(202), _READ)),
    ("read-answers-204", "Nothing is gathered yet, so the service answers 204.", on_success(status(204), _READ)),
    ("read-answers-206", "The data are gathered in part, so the service answers 206.", on_success(status(206), _READ)),
):
    add_fault(_STATUS, _name, _summary, _service, consequences=(_OBJECT,))


@fault(_STATUS, "7-not-found", "3-removed", source="4.2, paragraph 1", at="read")
def read_finds_nothing(_service: Service, _call: Call) -> Reply | None:
    """Reading looks only among completed requests."""
    raise RefusedError(ErrorCondition.NO_REQUEST)


@fault(_STATUS, source=sources.MONGODB_SECONDARIES, of="read")
def read_misses_one_in_ten(service: Service, reply: Reply, _call: Call) -> Reply:
    """A replica that lags behind does not have the request yet."""
    if one_in_ten(service.turn("read")):
        raise RefusedError(ErrorCondition.NO_REQUEST)
    return reply


@fault(_STATUS, source="4.2, paragraph 1", of="read")
def read_only_once(service: Service, reply: Reply, call: Call) -> Reply:
    """Reading takes the request out of a queue: a second reading finds nothing."""
    if service.turn(call.request_id):
        raise RefusedError(ErrorCondition.NO_REQUEST)
    return reply


for _name, _summary, _service in (
    ("read-in-array", "A query returns rows.", on_request(lambda each: [each], _READ)),
    ("read-as-null", "The handler returns nothing.", on_request(lambda _each: None, _READ)),
    ("read-in-envelope", "The company wraps objects in data.", on_request(lambda each: {"data": each}, _READ)),
):
    add_fault(_OBJECT, _name, _summary, _service, consequences=_FIELDS)


@fault(_OBJECT, *_FIELDS, source="4.2, paragraph 1", at="read")
def read_lists_all(service: Service, call: Call) -> Reply | None:
    """Reading one request lists all requests of the user."""
    return Reply.json([service.document(each, call) for each in service.store.of(service.find(call).owner)])


def _reads(seen: Callable[[Service, DataRequest], DataRequest]) -> type[Service]:
    """Return the service whose readings show what `seen` returns in place of the stored request."""

    class Changed(Service):
        def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
            return super().document(seen(self, request) if call.operation is _READ else request, call)

    return Changed


for _name, _summary, _service in (
    (
        "read-shows-another-moment",
        "createdAt is the moment of the reading.",
        _reads(lambda service, request: replace(request, created_at=service.now())),
    ),
    (
        "read-shows-all-types",
        "Reading shows all available types instead of the requested ones.",
        _reads(lambda service, request: replace(request, types=tuple(each.type for each in service.types))),
    ),
):
    add_fault(_AGREES, _name, _summary, _service)
add_fault(
    _AGREES,
    "read-shows-the-newest",
    "Reading shows the user's newest request in place of the one that is named.",
    _reads(lambda service, request: service.store.of(request.owner)[-1]),
    consequences=("2.1-requestId-unique",),
)


add_fault(
    _AGREES,
    "read-shows-no-types",
    "The service loads the relation later.",
    on_request(put(dataRequested=[]), _READ),
)
