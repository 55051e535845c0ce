"""Faults of clause 5.3: what a framework does with a call before anybody looks for its token."""

from __future__ import annotations

import json
from uuid import UUID

from conformance.calibration.variant import fault
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.service import Service

_BAD = "5.3-create-with-bad-token"


def _complaint(status: int) -> Reply:
    return Reply.json({"error": "Bad Request", "message": "Validation failed."}, status)


@fault("5.3-create-without-token", _BAD)
class _BodyParsedBeforeTheToken(Service):
    """The parser of bodies is installed before the check of tokens: whatever body is no JSON is refused."""

    status = 400

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation is Operation.CREATE and call.body and self.is_parsed(call):
            try:
                json.loads(call.body)
            except ValueError:
                return _complaint(self.status)
        return None

    def is_parsed(self, call: Call) -> bool:  # noqa: ARG002 variants override it
        """Say whether the parser takes a body."""
        return True


@fault(_BAD, "5.3-create-without-token")
class _LabelledJsonParsedBeforeTheToken(_BodyParsedBeforeTheToken):
    """Only what is labelled JSON is parsed, and that before the token is looked for."""

    status = 422

    def is_parsed(self, call: Call) -> bool:
        return "json" in call.headers.get("content-type", "").lower()


@fault(_BAD, "5.3-create-without-token")
class _ShapeOfBodyBeforeTheToken(Service):
    """The schema of the body, an array, is checked at the gateway; the token is checked behind it."""

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation is Operation.CREATE and call.body[:1] == b"{":
            return _complaint(400)
        return None


@fault("5.3-read-without-token", "5.3-delete-without-token")
class _IdentifierParsedBeforeTheToken(Service):
    """The identifier becomes a UUID while the parameters are bound, which comes before the check of tokens."""

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation is Operation.READ:
            try:
                UUID(call.request_id)
            except ValueError:
                return _complaint(400)
        return None


@fault("5.3-delete-without-token", "7-not-found-error", "7-not-found-message")
class _DeletionOfWordsHasNoRoute(Service):
    """The pattern of the route for deletions wants hexadecimal digits, and nothing else is asked for a token."""

    async def shortcut(self, call: Call) -> Reply | None:
        hexadecimal = set(call.request_id) <= set("0123456789abcdefABCDEF-")
        return _complaint(404) if call.operation is Operation.DELETE and not hexadecimal else None


@fault("5.3-read-with-bad-token", "0-server-errors")
class _TokenInThreePartsCrashes(Service):
    """What has three parts is parsed as a JWT, and nobody handles that its parts say nothing."""

    async def shortcut(self, call: Call) -> Reply | None:
        parts = (call.authorization or ("",))[0].split(".")
        known = self.authenticate(call) is not None
        if call.operation is Operation.READ and len(parts) == 3 and not known:
            return Reply.json({"error": "Internal Server Error", "message": "Unexpected token in JSON"}, 500)
        return None
