"""Twins that take the token in other forms as well, or in no other: 5 shows one form and leaves the rest to HTTP."""

from __future__ import annotations

from conformance.calibration.variant import twin
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.service import Service

_ON_DATA_REQUESTS = (Operation.CREATE, Operation.READ, Operation.DELETE)


@twin("5.1")
class _SchemeInExactCase(Service):
    """The scheme is compared letter by letter: bearer is not Bearer."""

    def token(self, call: Call) -> str | None:
        exact = all(each.startswith("Bearer ") for each in call.authorization)
        return super().token(call) if exact else None


@twin("5.1")
class _SchemeTokenAsWell(Service):
    """The scheme Token, of a framework that was used before, is taken like Bearer."""

    def token(self, call: Call) -> str | None:
        given = call.authorization[0] if len(call.authorization) == 1 else ""
        return given.removeprefix("Token ") if given.startswith("Token ") else super().token(call)


@twin("5.1", alerts=("5-token-in-query",))
class _TokenInTheQueryAsWell(Service):
    """Without the header the token may be the query parameter access_token, as RFC 6750 describes it."""

    def token(self, call: Call) -> str | None:
        return super().token(call) or call.query.get("access_token")


@twin("5.1")
class _FirstOfSeveralHeaders(Service):
    """Of several Authorization headers the first one counts."""

    def token(self, call: Call) -> str | None:
        call.authorization = call.authorization[:1]
        return super().token(call)


@twin("5.1")
class _MalformedCallsRefusedAtTheGate(Service):
    """A gateway answers 400 in its own words to a header that comes twice and to every query parameter."""

    async def perform(self, call: Call) -> Reply:
        odd = len(call.authorization) > 1 or call.query
        if call.operation in _ON_DATA_REQUESTS and odd:
            return Reply.json({"title": "Malformed call"}, 400)
        return await super().perform(call)
