"""Faults of clauses 4.1 and 4.3: the answer to a deletion, and routers and forms in front of the service."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from conformance.calibration.operators import label, on_success, one_in_ten, text
from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import JSON, Action, Call, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.errors import ErrorCondition, RefusedError
from conformance.reference.service import Service

_OK = "4.3-answers-ok"
_LABEL = "4.3-media-type"
_DELETE = Action.DELETE

for _name, _summary, _change, _also in (
    ("204", "No content is what frameworks and textbooks answer.", lambda _reply: Reply(204), ()),
    ("202", "The removal goes on in the background.", lambda reply: Reply(202, reply.body, reply.headers), ()),
    ("json-ok", "The framework serialises every text, so OK gets quotes.", text('"OK"', JSON), (_LABEL,)),
    ("quoted-ok", "Quotes around the text, although it is labelled as plain.", text('"OK"'), ()),
    ("nothing", "An empty body.", text(""), ()),
    ("lower-case-ok", "The wrong case.", text("ok"), ()),
    ("ok-with-full-stop", "A sentence.", text("OK."), ()),
    ("okay", "Another word.", text("Okay"), ()),
    ("deleted", "Another word.", text("Deleted"), ()),
    ("status-object", "The house style answers with an object.", text('{"status":"OK"}', JSON), (_LABEL,)),
    ("ok-after-space", "A template with blanks in front of the text.", text("  OK"), ()),
    (
        "ok-after-byte-order-mark",
        "The text is a file saved with a byte order mark, which is letters in the charset of its label.",
        text(b"\xef\xbb\xbfOK", "text/plain; charset=iso-8859-1"),
        (),
    ),
    ("ok-page", "The administration's page.", text("<p>OK</p>", "text/html"), (_LABEL,)),
    ("true", "The result of the statement.", text("true", JSON), (_LABEL,)),
):
    fault_table(_OK, (f"delete-answers-{_name}", _summary, on_success(_change, _DELETE)), consequences=_also)

fault_table(
    _OK,
    (
        "delete-answers-204-in-one-of-ten",
        "One of the nodes runs a newer framework.",
        on_success(lambda _reply: Reply(204), _DELETE, when=one_in_ten),
    ),
    consequences=("3-deletes-completed",),
)
for _name, _media_type in (
    ("html", "text/html; charset=utf-8"),
    ("json", JSON),
    ("octet-stream", "application/octet-stream"),
    ("markdown", "text/markdown"),
):
    fault_table(
        _LABEL, (f"ok-labelled-{_name}", "The framework's default label.", on_success(label(_media_type), _DELETE))
    )
fault_table(
    _LABEL,
    (
        "ok-labelled-html-in-one-of-ten",
        "One of the nodes has another default label.",
        on_success(label("text/html"), _DELETE, when=one_in_ten),
    ),
)

_CREATE, _DELETE = Action.CREATE, Action.DELETE
_STATUS = "4.1-answers-200"
_ALL = "4.1-body-omitted"
_TYPES = ("7-invalid-data-types", "7-invalid-data-types-error", "7-invalid-data-types-message")
_ABSENT = ("7-not-found", "7-not-found-error", "7-not-found-message", "3-removed", "3-deletes-completed")


@fault(_STATUS)
class _OnlyAnObjectIsRead(Service):
    """The framework binds an object; an array is nothing to it."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        if call.body.startswith(b"["):
            raise RefusedError(ErrorCondition.DATA_TYPES)
        return super().wanted_types(call)


@fault(_STATUS, "4.1-requested-types")
class _LettersAreReadAsLatin(Service):
    """The body is decoded as ISO 8859-1: letters beyond ASCII are right only where they are written as escapes."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        call.body = call.body.decode("latin-1").encode()
        return super().wanted_types(call)


@fault(_STATUS)
class _EscapesAreNotDecoded(Service):
    """The body is taken apart by hand, at quotes and commas: letters that are written as escapes are not known."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        if b"\\u" in call.body:
            raise RefusedError(ErrorCondition.DATA_TYPES)
        return super().wanted_types(call)


def _instead(operation: Action, answer: Callable[[Call, ReferenceConfig], Reply]) -> type[Service]:
    """Return the service whose framework answers every authenticated call of an operation before the service."""

    async def answered(self: Service, call: Call) -> Reply:
        return answer(call, self.config)

    return type("Changed", (Service,), {"create" if operation is _CREATE else "delete": answered})


def _deletion_to_a_slash(call: Call, config: ReferenceConfig) -> Reply:
    name = quote(call.request_id, safe="", errors="surrogateescape")
    return Reply(308, b"", {"location": f"{config.path_prefix}/requests/{name}/"})


def _form_expired(_call: Call, _config: ReferenceConfig) -> Reply:
    return Reply.json({"error": "Page Expired", "message": "CSRF token mismatch."}, 419)


fault_table(
    _STATUS,
    (
        "creation-is-sent-to-a-slash",
        "The router knows the path with a slash at its end only, and redirects the creation there.",
        _instead(_CREATE, lambda _, config: Reply(307, b"", {"location": f"{config.path_prefix}/requests/"})),
    ),
    (
        "creation-wants-a-form",
        "The framework demands its token against forged forms, which a creation does not carry.",
        _instead(_CREATE, _form_expired),
    ),
    consequences=(_ALL, *_TYPES),
)
fault_table(
    _OK,
    (
        "deletion-is-sent-to-a-slash",
        "The router knows the path with a slash at its end only, and redirects the deletion there.",
        _instead(_DELETE, _deletion_to_a_slash),
    ),
    (
        "deletion-is-sent-nowhere",
        "The service builds the address of a redirection from missing settings, and sends an invalid one.",
        _instead(_DELETE, lambda _call, _config: Reply(307, b"", {"location": "http://[/requests"})),
    ),
    (
        "deletion-wants-a-form",
        "The framework demands its token against forged forms, which a deletion does not carry.",
        _instead(_DELETE, _form_expired),
    ),
    (
        "deletion-is-blocked",
        "The web server in front passes GET and POST on, and no other method.",
        _instead(
            _DELETE,
            lambda _call, _config: Reply(405, b"<h1>405</h1>", {"content-type": "text/html", "allow": "GET, POST"}),
        ),
    ),
    consequences=_ABSENT,
)


@fault(_OK, _LABEL)
class _DeletionAnswersTheRequest(Service):
    """The mapper returns what it has deleted, and that is passed on."""

    async def delete(self, call: Call) -> Reply:
        document = self.document(self.find(call), call)
        reply = await super().delete(call)
        return Reply.json(document) if reply.status == 200 else reply


fault_table(
    _OK,
    (
        "deletion-redirects-to-the-list",
        "After a deletion the browser's user is shown what is left.",
        on_success(lambda _reply: Reply(303, b"", {"location": "/requests"}), _DELETE),
    ),
)
for _name, _summary, _change, _also in (
    ("row-count", "The number of rows that are gone.", text('{"deletedCount":1}', JSON), (_LABEL,)),
    ("number", "The number of rows that are gone.", text("1"), ()),
    ("message-object", "The house style has a message for every answer.", text('{"message":"OK"}', JSON), (_LABEL,)),
    ("null", "The handler returns nothing, which is null.", text("null", JSON), (_LABEL,)),
    ("ok-twice", "Handler and middleware both write the answer.", text("OKOK"), ()),
    ("ok-with-nul", "The length counts the end of the string.", text(b"OK\x00"), ()),
    ("status-text", "The text of the status line with its number.", text("200 OK"), ()),
):
    fault_table(_OK, (f"deletion-answers-{_name}", _summary, on_success(_change, _DELETE)), consequences=_also)
