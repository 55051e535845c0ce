"""Faults that show only to clients that write their calls in another variation: clauses 0, 4 and 7."""

from __future__ import annotations

from conformance.calibration.sources import DRF_BROWSABLE_API, GO_READER, NODE_STREAMS, WSGI_LENGTH
from conformance.calibration.variant import fault
from conformance.reference.call import Action, Call, Reply
from conformance.reference.service import Service


@fault("4.1-requested-types", "7-invalid-data-types", "2.1-dataRequested-known", source=WSGI_LENGTH)
class _ChunkedBodyIsTreatedAsOmitted(Service):
    """The service reads as many bytes as Content-Length announces: a chunked body counts as omitted."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        if "content-length" not in call.headers:
            call.body = b""
        return super().wanted_types(call)


@fault("4.1-answers-200", source=GO_READER)
class _OnlyTheFirstPieceOfABodyIsRead(Service):
    """The service reads once from the connection and takes what has arrived for the whole body."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        call.body = call.first_piece
        return super().wanted_types(call)


@fault("4.1-answers-200", source=NODE_STREAMS)
class _EachPieceOfABodyIsDecodedAlone(Service):
    """The service adds each piece of the body to a string, which breaks a letter of two bytes between two pieces."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        first, rest = call.first_piece, call.body[len(call.first_piece) :]
        call.body = "".join(each.decode(errors="replace") for each in (first, rest)).encode()
        return super().wanted_types(call)


@fault(
    "0-bodies-are-json",
    "0-json-media-type",
    "2.4-object",
    "7-not-found-error",
    "7-not-found-message",
    "7-unauthorized-error",
    "7-unauthorized-message",
    "7-invalid-data-types-error",
    "7-invalid-data-types-message",
    source=DRF_BROWSABLE_API,
)
class _BrowsersGetPages(Service):
    """The framework renders what a browser asks for as a page, errors included."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        if call.operation is Action.DELETE and reply.status == 200:
            return reply
        if "text/html" in call.headers.get("accept", "") and call.operation is not Action.CREATE:
            reply.body = b"<!doctype html><pre>" + reply.body + b"</pre>"
            reply.headers["content-type"] = "text/html; charset=utf-8"
        return reply
