"""Faults of clause 4.1: creating a data request."""

from __future__ import annotations

import json
from typing import Any

from conformance.calibration import sources
from conformance.calibration.operators import answering, body, changing, on_request, on_success, one_in_ten, status
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_CREATE = Action.CREATE
_STATUS = "4.1-answers-200"
_OBJECT = "4.1-object"
_ASKED = "4.1-requested-types"
_ALL = "4.1-body-omitted"
_NOTHING = "4.1-refused-creates-nothing"
_AGREES = "4.2-agrees-with-creation"
_FIELDS = ("2.1-requestId", "2.1-createdAt", "2.1-isCompleted", "2.1-dataRequested", _ASKED, _ALL)


for _name, _summary, _service in (
    (
        "create-answers-201",
        "The service answers 201 to a creation, as many frameworks do.",
        on_success(status(201), _CREATE),
    ),
    ("create-answers-202", "The work goes on in the background.", on_success(status(202), _CREATE)),
    ("create-answers-204", "The answer omits the object.", on_success(status(204), _CREATE)),
):
    add_fault(_STATUS, _name, _summary, _service, consequences=(_OBJECT, _ALL))
add_fault(
    _STATUS,
    "create-answers-201-in-one-of-ten",
    "One node has a newer framework.",
    on_success(status(201), _CREATE, when=one_in_ten),
    consequences=(_OBJECT, _ALL, "4.1-creates-in-parallel"),
)


def _without_location(service: Service, call: Call) -> Reply | None:
    return service.refuse(ErrorCondition.DATA_TYPES, call) if call.body == b'["location-history"]' else None


add_fault(
    _STATUS,
    "listed-type-is-refused-alone",
    "The validator lacks one type in the middle of the list.",
    answering(_without_location, "create"),
)


@fault(_STATUS, _OBJECT, _ALL, source=sources.SEE_OTHER)
class _CreateRedirectsToRead(Service):
    """The service redirects after a creation, as web forms do."""

    async def create(self, call: Call) -> Reply:
        request = await self.admit(self.wanted_types(call), call)
        return Reply(303, b"", {"location": f"{self.config.path_prefix}/requests/{request.id}"})


@fault("4.1-empty-body-labelled", source=sources.FASTIFY_EMPTY_BODY, at="create")
def empty_body_refused_as_json(_service: Service, call: Call) -> Reply | None:
    """The JSON parser refuses an empty body, but runs only if the request has a media type."""
    if not call.body and "content-type" in call.headers:
        return Reply.json({"error": "Bad Request", "message": "Body cannot be empty."}, 400)
    return None


for _name, _summary, _service in (
    (
        "created-encoded-twice",
        "The service serializes the object twice.",
        on_success(body(lambda content: json.dumps(content.decode()).encode()), _CREATE),
    ),
    ("created-in-envelope", "The company wraps objects in data.", on_request(lambda each: {"data": each}, _CREATE)),
):
    add_fault(_OBJECT, _name, _summary, _service, consequences=_FIELDS)


def _stored(name: str, summary: str, keep: Any, *consequences: str, row: str = _ASKED) -> None:
    def change(service: Service, wanted: tuple[str, ...], call: Call) -> tuple[str, ...]:
        known = tuple(each.type for each in service.types)
        return tuple(keep(wanted, known)) if bool(call.body) is (row == _ASKED) else wanted

    add_fault(row, name, summary, changing("wanted_types", change), consequences=consequences)


_stored("all-types-whatever-was-asked", "The service does not read the body.", lambda _wanted, known: known)
_stored("first-type-only", "A variable holds only one value.", lambda wanted, _known: wanted[:1])
_stored("types-not-stored", "The service does not save the relation.", lambda _wanted, _known: ())
_stored(
    "types-beyond-ascii-dropped",
    "Identifiers are filtered by a pattern of letters, digits and hyphens.",
    lambda wanted, _known: [each for each in wanted if each.replace("-", "").isascii() and " " not in each],
)
_stored("no-body-means-no-types", "An omitted body becomes an empty list.", lambda _wanted, _known: (), row=_ALL)
_stored("no-body-forgets-last-type", "No body becomes an outdated list.", lambda wanted, _known: wanted[:-1], row=_ALL)


@fault(_ASKED, _AGREES, _ALL, source=sources.PYTHON_DEFAULTS)
class _TypesOfThePreviousRequest(Service):
    """A shared variable: the answer shows the types of the previous request."""

    previous: tuple[str, ...] = ()

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        document = super().document(request, call)
        if call.operation is _CREATE:
            document["dataRequested"] = list(self.previous or request.types)
            self.previous = request.types
        return document


@fault(_ALL, _STATUS, source=sources.ASPNET_MEDIA_TYPES, at="create")
def no_body_is_unsupported(_service: Service, call: Call) -> Reply | None:
    """The framework requires a Content-Type even without a body."""
    if "content-type" not in call.headers:
        return Reply.json({"error": "Unsupported Media Type", "message": "Send JSON."}, 415)
    return None


@fault(_ALL, _STATUS, "4.1-empty-body-labelled", source="4.1, item 2", at="create")
def no_body_is_a_server_error(_service: Service, call: Call) -> Reply | None:
    """Reading an omitted body raises an exception, which the service does not handle."""
    if not call.body:
        return Reply.json({"error": "Internal Server Error", "message": "Unexpected end of input."}, 500)
    return None


@fault(_ALL, _STATUS, "4.1-empty-body-labelled", max_requests=1, source=sources.SPRING_BODY, at="create")
def no_body_is_a_bad_request(_service: Service, call: Call) -> Reply | None:
    """The validation of the framework wants a body before the service counts its requests, of which one is allowed."""
    if not call.body:
        return Reply.json({"error": "Bad Request", "message": "Request body must not be empty"}, 400)
    return None


_PLACES = ("8-accepts-up-to-limit", "3-frees-the-limit")


@fault(_NOTHING, *_PLACES, source="7, table, row 2, Condition")
class _InvalidTypesUseAPlace(Service):
    """The service inserts the row before the check and does not roll back the transaction."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        try:
            return super().wanted_types(call)
        except RefusedError:
            self.store.add(self.new_request((), call))
            raise


@fault(_NOTHING, *_PLACES, "8-limit-enforced", "8-limit-enforced-in-parallel", source="7, table, row 1, Condition")
class _CreationsBeyondTheLimitAreKept(Service):
    """The service refuses a creation beyond the limit but stores it: it becomes visible when a place is free."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = self.new_request(types, call)
        if not self.store.add(request, lambda existing: self.has_room(existing, request)):
            self.store.add(request)
            raise RefusedError(ErrorCondition.LIMIT)
        return request
