"""Faults of clauses 4.1 and 4.3: the answer to a deletion, and routers and forms in front of the service."""

from __future__ import annotations

from urllib.parse import quote

from conformance.calibration import sources
from conformance.calibration.faults.common import members
from conformance.calibration.operators import answering, label, on_success, one_in_ten, status, text
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import JSON, Action, Call, ErrorCondition, Reply
from conformance.reference.service import Service

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

_STATUS = "4.1-answers-200"
_ALL = "4.1-body-omitted"
_TYPES = ("7-invalid-data-types", *members(ErrorCondition.DATA_TYPES))
_ABSENT = ("7-not-found", *members(ErrorCondition.NO_REQUEST), "3-removed", "3-deletes-completed")


@fault(_STATUS, "4.1-requested-types", source=sources.SERVLET_CHARSET, at="wanted_types")
def letters_are_read_as_latin(_service: Service, call: Call) -> None:
    """The service decodes the body as ISO 8859-1: non-ASCII letters are correct only if the client escapes them."""
    call.body = call.body.decode("latin-1").encode()


def _deletion_to_a_slash(service: Service, call: Call) -> Reply:
    name = quote(call.request_id, safe="", errors="surrogateescape")
    return Reply(308, b"", {"location": f"{service.config.path_prefix}/requests/{name}/"})


add_fault(
    _STATUS,
    "creation-is-sent-to-a-slash",
    "The router knows the path only with a slash at its end and redirects the creation.",
    answering(lambda service, _: Reply(307, b"", {"location": f"{service.config.path_prefix}/requests/"}), "create"),
    consequences=(_ALL, "4.1-empty-body-labelled", *_TYPES),
)
for _name, _summary, _service in (
    (
        "deletion-is-sent-to-a-slash",
        "The router knows the path only with a slash at its end and redirects the deletion.",
        answering(_deletion_to_a_slash, "delete"),
    ),
    (
        "deletion-is-blocked",
        "The web server in front of the service forwards only GET and POST.",
        answering(
            lambda *_: Reply(405, b"<h1>405</h1>", {"content-type": "text/html", "allow": "GET, POST"}), "delete"
        ),
    ),
):
    add_fault(_OK, _name, _summary, _service, consequences=_ABSENT)


@fault(_OK, _LABEL, source=sources.MONGOOSE_DELETE)
class _DeletionAnswersTheRequest(Service):
    """The mapper returns the deleted object, and the service sends it."""

    async def delete(self, call: Call) -> Reply:
        document = self.document(self.find(call), call)
        reply = await super().delete(call)
        return Reply.json(document) if reply.status == 200 else reply
