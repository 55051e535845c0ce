"""Faults of clause 4: what routers, forms and house rules make of a call before the service sees it."""

from __future__ import annotations

from urllib.parse import quote

from conformance.calibration.operators import on_success, text
from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import JSON, Call, Operation, Reply
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service

_CREATE, _DELETE = Operation.CREATE, Operation.DELETE
_STATUS = "4.1-answers-200"
_OK = "4.3-answers-ok"
_LABEL = "4.3-media-type"
_ALL = "4.1-body-omitted"
_TYPES = ("7-invalid-data-types", "7-invalid-data-types-error", "7-invalid-data-types-message")
_ABSENT = ("7-not-found", "7-not-found-error", "7-not-found-message", "3-removed", "3-deletes-completed")


@fault(_STATUS, _ALL, *_TYPES)
class _CreationIsSentToASlash(Service):
    """The router knows the path with a slash at its end only, and redirects the creation there."""

    async def create(self, call: Call) -> Reply:  # noqa: ARG002 whatever is asked for
        return Reply(307, b"", {"location": f"{self.config.path_prefix}/requests/"})


@fault(_OK, *_ABSENT)
class _DeletionIsSentToASlash(Service):
    """The router knows the path with a slash at its end only, and redirects the deletion there."""

    async def delete(self, call: Call) -> Reply:
        name = quote(call.request_id, safe="", errors="surrogateescape")
        return Reply(308, b"", {"location": f"{self.config.path_prefix}/requests/{name}/"})


@fault(_OK, *_ABSENT)
class _DeletionIsSentNowhere(Service):
    """The address to go on to is put together from settings that are missing: it is no address."""

    async def delete(self, call: Call) -> Reply:  # noqa: ARG002 whatever is asked for
        return Reply(307, b"", {"location": "http://[/requests"})


@fault(_STATUS)
class _OnlyAnObjectIsRead(Service):
    """The framework binds an object; an array is nothing to it."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        if call.body.startswith(b"["):
            raise RefusedError(Condition.DATA_TYPES)
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
            raise RefusedError(Condition.DATA_TYPES)
        return super().wanted_types(call)


@fault(_STATUS, _ALL, *_TYPES)
class _CreationWantsAForm(Service):
    """The framework protects forms, and a creation does not carry what its own forms carry."""

    async def create(self, call: Call) -> Reply:  # noqa: ARG002 whatever is asked for
        return Reply.json({"error": "Page Expired", "message": "CSRF token mismatch."}, 419)


@fault(_OK, *_ABSENT)
class _DeletionWantsAForm(Service):
    """The framework protects forms, and a deletion does not carry what its own forms carry."""

    async def delete(self, call: Call) -> Reply:  # noqa: ARG002 whatever is asked for
        return Reply.json({"error": "Page Expired", "message": "CSRF token mismatch."}, 419)


@fault(_OK, *_ABSENT)
class _DeletionIsBlocked(Service):
    """The web server in front lets GET and POST through, and nothing else."""

    async def delete(self, call: Call) -> Reply:  # noqa: ARG002 whatever is asked for
        return Reply(405, b"<h1>405</h1>", {"content-type": "text/html", "allow": "GET, POST"})


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
