"""Faults of clauses 4.1 to 4.3: creating, reading and deleting a data request, and routers in front of the service."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from conformance.calibration import sources
from conformance.calibration.operators import (
    answering,
    body,
    changing,
    crash,
    label,
    on_request,
    on_success,
    one_in_ten,
    problem,
    put,
    status,
    text,
)
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import JSON, Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_CREATE = Action.CREATE
_CREATED = "4.1-answers-200"
_CREATED_OBJECT = "4.1-object"
_ASKED = "4.1-requested-types"
_NO_BODY = "4.1-body-omitted"
_NOTHING = "4.1-refused-creates-nothing"
_AGREES = "4.2-agrees-with-creation"
_CREATED_FIELDS = ("2.1-requestId", "2.1-createdAt", "2.1-isCompleted", "2.1-dataRequested", _ASKED, _NO_BODY)


for _name, _summary, _service in (
    (
        "create-answers-201",
        "The service answers 201 to a creation, as many frameworks do.",
        on_success(status(201), _CREATE),
    ),
    ("create-answers-202", "The work goes on in the background.", on_success(status(202), _CREATE)),
    ("create-answers-204", "The answer omits the object.", on_success(status(204), _CREATE)),
):
    add_fault(_CREATED, _name, _summary, _service, consequences=(_CREATED_OBJECT, _NO_BODY))
add_fault(
    _CREATED,
    "create-answers-201-in-one-of-ten",
    "One node has a newer framework.",
    on_success(status(201), _CREATE, when=one_in_ten),
    consequences=(_CREATED_OBJECT, _NO_BODY, "4.1-creates-in-parallel"),
)


@fault(_CREATED, at="create")
def listed_type_is_refused_alone(service: Service, call: Call) -> Reply | None:
    """The validator lacks one type in the middle of the list."""
    return service.refuse(ErrorCondition.DATA_TYPES, call) if call.body == b'["location-history"]' else None


@fault(_CREATED, _CREATED_OBJECT, _NO_BODY, source=sources.SEE_OTHER, at="create")
async def create_redirects_to_read(service: Service, call: Call) -> Reply:
    """The service redirects after a creation, as web forms do."""
    request = await service.admit(service.wanted_types(call), call)
    return Reply(303, b"", {"location": f"{service.config.path_prefix}/requests/{request.id}"})


@fault("4.1-empty-body-labelled", source=sources.FASTIFY_EMPTY_BODY, at="create")
def empty_body_refused_as_json(_service: Service, call: Call) -> Reply | None:
    """The JSON parser refuses an empty body, but runs only if the request has a media type."""
    refused = problem(400, "Bad Request", "Body cannot be empty.")
    return refused if not call.body and "content-type" in call.headers else None


for _name, _summary, _service in (
    (
        "created-encoded-twice",
        "The service serializes the object twice.",
        on_success(body(lambda content: json.dumps(content.decode()).encode()), _CREATE),
    ),
    ("created-in-envelope", "The company wraps objects in data.", on_request(lambda each: {"data": each}, _CREATE)),
):
    add_fault(_CREATED_OBJECT, _name, _summary, _service, consequences=_CREATED_FIELDS)


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
_stored("no-body-means-no-types", "An omitted body becomes an empty list.", lambda _wanted, _known: (), row=_NO_BODY)
_stored(
    "no-body-forgets-last-type", "No body becomes an outdated list.", lambda wanted, _known: wanted[:-1], row=_NO_BODY
)


@fault(_ASKED, _AGREES, _NO_BODY, source=sources.PYTHON_DEFAULTS, of="document")
def types_of_the_previous_request(service: Service, document: Any, request: DataRequest, call: Call) -> Any:
    """A shared variable: the answer shows the types of the previous request."""
    if call.operation is _CREATE:
        document["dataRequested"] = list(service.kept.get("previous") or request.types)
        service.kept["previous"] = request.types
    return document


@fault(_NO_BODY, _CREATED, source=sources.ASPNET_MEDIA_TYPES, at="create")
def no_body_is_unsupported(_service: Service, call: Call) -> Reply | None:
    """The framework requires a Content-Type even without a body."""
    return None if "content-type" in call.headers else problem(415, "Unsupported Media Type", "Send JSON.")


@fault(_NO_BODY, _CREATED, "4.1-empty-body-labelled", source="4.1, item 2", at="create")
def no_body_is_a_server_error(_service: Service, call: Call) -> Reply | None:
    """Reading an omitted body raises an exception, which the service does not handle."""
    return None if call.body else crash("Unexpected end of input.")


@fault(_NO_BODY, _CREATED, "4.1-empty-body-labelled", max_requests=1, source=sources.SPRING_BODY, at="create")
def no_body_is_a_bad_request(_service: Service, call: Call) -> Reply | None:
    """The validation of the framework wants a body before the service counts its requests, of which one is allowed."""
    return None if call.body else problem(400, "Bad Request", "Request body must not be empty")


_PLACES = ("8-accepts-up-to-limit", "3-frees-the-limit")


@fault(_NOTHING, *_PLACES, source="7, table, row 2, Condition", at="wanted_types")
def invalid_types_use_a_place(service: Service, call: Call) -> tuple[str, ...]:
    """The service inserts the row before the check and does not roll back the transaction."""
    try:
        return Service.wanted_types(service, call)
    except RefusedError:
        service.store.add(service.new_request((), call))
        raise


@fault(_NOTHING, *_PLACES, "8-limit-enforced*", source="7, table, row 1, Condition", at="admit")
def creations_beyond_the_limit_are_kept(service: Service, types: tuple[str, ...], call: Call) -> DataRequest:
    """The service refuses a creation beyond the limit but stores it: it becomes visible when a place is free."""
    request = service.new_request(types, call)
    has_room = service.has_room(service.store.all(), request)
    service.store.add(request)
    if not has_room:
        raise RefusedError(ErrorCondition.LIMIT)
    return request


_READ = Action.READ
_READ_STATUS = "4.2-answers-200"
_READ_OBJECT = "4.2-object"
_READ_FIELDS = ("2.1-requestId", "2.1-createdAt", "2.1-isCompleted", "2.1-dataRequested", _AGREES)

for _name, _summary, _service in (
    ("read-answers-202", "The request is not completed yet.", on_success(status(202), _READ)),
    ("read-answers-204", "Nothing is gathered yet, so the service answers 204.", on_success(status(204), _READ)),
    ("read-answers-206", "The data are gathered in part, so the service answers 206.", on_success(status(206), _READ)),
):
    add_fault(_READ_STATUS, _name, _summary, _service, consequences=(_READ_OBJECT,))


@fault(_READ_STATUS, "7-not-found", "3-removed", source="4.2, paragraph 1", at="read")
def read_finds_nothing(_service: Service, _call: Call) -> Reply | None:
    """Reading looks only among completed requests."""
    raise RefusedError(ErrorCondition.NO_REQUEST)


@fault(_READ_STATUS, source=sources.MONGODB_SECONDARIES, of="read")
def read_misses_one_in_ten(service: Service, reply: Reply, _call: Call) -> Reply:
    """A replica that lags behind does not have the request yet."""
    if one_in_ten(service.turn("read")):
        raise RefusedError(ErrorCondition.NO_REQUEST)
    return reply


@fault(_READ_STATUS, source="4.2, paragraph 1", of="read")
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
    add_fault(_READ_OBJECT, _name, _summary, _service, consequences=_READ_FIELDS)


@fault(_READ_OBJECT, *_READ_FIELDS, source="4.2, paragraph 1", at="read")
def read_lists_all(service: Service, call: Call) -> Reply | None:
    """Reading one request lists all requests of the user."""
    return Reply.json([service.document(each, call) for each in service.store.of(service.find(call).owner)])


def _reads(seen: Callable[[Service, DataRequest], DataRequest]) -> type[Service]:
    """Return the service whose readings show what `seen` returns in place of the stored request."""

    def document(service: Service, request: DataRequest, call: Call) -> Any:
        return Service.document(service, seen(service, request) if call.operation is _READ else request, call)

    return answering(document, "document")


add_fault(
    _AGREES,
    "read-shows-another-moment",
    "createdAt is the moment of the reading.",
    _reads(lambda service, request: replace(request, created_at=service.now())),
)
add_fault(
    _AGREES,
    "read-shows-all-types",
    "Reading shows all available types instead of the requested ones.",
    _reads(lambda service, request: replace(request, types=tuple(each.type for each in service.types))),
)
add_fault(
    _AGREES,
    "read-shows-the-newest",
    "Reading shows the user's newest request in place of the one that is named.",
    _reads(lambda service, request: service.store.of(request.owner)[-1]),
    consequences=("2.1-requestId-unique",),
)
add_fault(
    _AGREES, "read-shows-no-types", "The service loads the relation later.", on_request(put(dataRequested=[]), _READ)
)

_OK = "4.3-answers-ok"
_LABEL = "4.3-media-type"
_DELETE = Action.DELETE

for _name, _summary, _change, _also in (
    (
        "delete-answers-204",
        "The service answers 204 to a deletion, as many frameworks do.",
        status(204),
        ("3-deletes-completed",),
    ),
    ("delete-answers-202", "The removal goes on in the background.", status(202), ("3-deletes-completed",)),
    (
        "delete-answers-json-ok",
        "The framework serializes every text, so that OK has quotes.",
        text('"OK"', JSON),
        (_LABEL,),
    ),
    ("delete-answers-nothing", "The body is empty.", text(""), ()),
    ("delete-answers-okay", "Another word.", text("Okay"), ()),
    (
        "delete-answers-ok-page",
        "The service answers with the page of its administration.",
        text("<p>OK</p>", "text/html"),
        (_LABEL,),
    ),
    (
        "deletion-answers-row-count",
        "The service answers with the number of deleted rows.",
        text('{"deletedCount":1}', JSON),
        (_LABEL,),
    ),
    ("deletion-answers-ok-with-nul", "The length includes the NUL at the end of the string.", text(b"OK\x00"), ()),
):
    add_fault(_OK, _name, _summary, on_success(_change, _DELETE), consequences=_also)

add_fault(
    _OK,
    "delete-answers-204-in-one-of-ten",
    "One node has a newer framework.",
    on_success(status(204), _DELETE, when=one_in_ten),
    consequences=("3-deletes-completed",),
)
add_fault(
    _OK,
    "deletions-fail-after-deleting",
    "The audit log is locked after each deletion, which is not undone.",
    on_success(status(500), _DELETE),
    consequences=("3-deletes-completed",),
)
for _name, _media_type in (
    ("html", "text/html; charset=utf-8"),
    ("json", JSON),
    ("octet-stream", "application/octet-stream"),
    ("markdown", "text/markdown"),
):
    add_fault(
        _LABEL, f"ok-labelled-{_name}", "The framework's default Content-Type.", on_success(label(_media_type), _DELETE)
    )

_ABSENT = ("7-not-found*", "3-removed", "3-deletes-completed")


@fault(_CREATED, "4.1-requested-types", source=sources.SERVLET_CHARSET, at="wanted_types")
def letters_are_read_as_latin(_service: Service, call: Call) -> None:
    """The service decodes the body as ISO 8859-1: non-ASCII letters are correct only if the client escapes them."""
    call.body = call.body.decode("latin-1").encode()


@fault(_CREATED, _NO_BODY, "4.1-empty-body-labelled", "7-invalid-data-types*", at="create")
def creation_is_sent_to_a_slash(service: Service, _call: Call) -> Reply:
    """The router knows the path only with a slash at its end and redirects the creation."""
    return Reply(307, b"", {"location": f"{service.config.path_prefix}/requests/"})


@fault(_OK, *_ABSENT, at="delete")
def deletion_is_sent_to_a_slash(service: Service, call: Call) -> Reply:
    """The router knows the path only with a slash at its end and redirects the deletion."""
    name = quote(call.request_id, safe="", errors="surrogateescape")
    return Reply(308, b"", {"location": f"{service.config.path_prefix}/requests/{name}/"})


@fault(_OK, *_ABSENT, at="delete")
def deletion_is_blocked(*_: object) -> Reply:
    """The web server in front of the service forwards only GET and POST."""
    return Reply(405, b"<h1>405</h1>", {"content-type": "text/html", "allow": "GET, POST"})


@fault(_OK, _LABEL, source=sources.MONGOOSE_DELETE, at="delete")
def deletion_answers_the_request(service: Service, call: Call) -> Reply | None:
    """The mapper returns the deleted object, and the service sends it."""
    request = service.find(call)
    return Reply.json(service.document(request, call)) if service.remove(request) else None
