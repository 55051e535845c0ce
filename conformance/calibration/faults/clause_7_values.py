"""Faults of clause 7: the service takes unknown types and identifiers for known ones, or fails on them."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable

from conformance.calibration.operators import lenient
from conformance.calibration.variant import add_fault
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.service import Service

_TYPES = "7-invalid-data-types"
_NOT_FOUND = "7-not-found"
_UUID = re.compile(r"[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}")


for _name, _summary, _service in (
    (
        "types-end-at-nul",
        "The service passes the names to a library in C, for which NUL ends a string.",
        lenient(lambda name, _known: [name.partition("\0")[0]]),
    ),
    (
        "types-end-at-letters-of-four-bytes",
        "The column stores characters of three bytes, and the database "
        "cuts a text at the first character of four bytes.",
        lenient(lambda name, _known: [re.split(r"[\U00010000-\U0010ffff]", name)[0]]),
    ),
):
    add_fault(_TYPES, _name, _summary, _service)


def _failing(breaks: Callable[[str], bool]) -> type[Service]:
    """Return the service that answers 500 where it has to refuse some types."""

    class Changed(Service):
        def finish(self, reply: Reply, call: Call) -> Reply:
            if call.condition is ErrorCondition.DATA_TYPES and breaks(_letters(call.body)):
                return Reply.json({"error": "Internal Server Error", "message": "syntax error at or near"}, 500)
            return reply

    return Changed


def _letters(body: bytes) -> str:
    try:
        return "".join(str(each) for each in json.loads(body))
    except (ValueError, RecursionError, TypeError):
        return ""


add_fault(
    _TYPES,
    "types-with-an-apostrophe-fail",
    "The service builds the query from texts, and an apostrophe ends a text too early.",
    _failing(lambda body: "'" in body),
)


def _pattern(matches: Callable[[str], bool], *operations: Action) -> type[Service]:
    """Return the service that answers 400 to a valid token and an identifier that its pattern does not match."""

    class Changed(Service):
        async def perform(self, call: Call) -> Reply:
            named = call.operation in operations and self.authenticate(call) is not None
            if named and not matches(call.request_id):
                return Reply.json({"error": "Bad Request", "message": "requestId is malformed"}, 400)
            return await super().perform(call)

    return Changed


def _version(request_id: str) -> int | None:
    try:
        return uuid.UUID(request_id).version
    except ValueError:
        return None


add_fault(
    _NOT_FOUND,
    "identifiers-of-version-four-only",
    "The validation of the path requires a UUID of version 4.",
    _pattern(lambda request_id: _version(request_id) == 4, Action.READ, Action.DELETE),
)


def _failing_at(operation: Action) -> type[Service]:
    """Return the service that passes identifiers unchecked to a column of type uuid, in one operation."""

    class Changed(Service):
        async def shortcut(self, call: Call) -> Reply | None:
            concerned = call.operation is operation and self.authenticate(call) is not None
            if concerned and _UUID.fullmatch(call.request_id) is None:
                return Reply(500, b"<h1>Internal Server Error</h1>", {"content-type": "text/html"})
            return None

    return Changed


for _operation, _verb in ((Action.READ, "read"), (Action.DELETE, "deleted")):
    add_fault(
        _NOT_FOUND,
        f"word-for-an-identifier-{_verb}-server-error",
        "The service passes the identifier unchecked to a column of type uuid, and the database raises an error.",
        _failing_at(_operation),
    )
