"""Faults that some clients meet: those that accept any media type, write JSON differently, or are another user."""

from __future__ import annotations

from dataclasses import replace

from conformance.calibration.sources import LARAVEL_LOGIN, MEDIA_TYPE, SPRING_CONVERTERS, SPRING_ERROR_PAGE
from conformance.calibration.variant import fault
from conformance.reference.call import Action, Call, Reply
from conformance.reference.service import Service

_LABEL = "0-json-media-type"
_PAGE = {"content-type": "text/html; charset=utf-8"}
_PUBLIC = (Action.SETTINGS, Action.DATA)


def _asks_for_json(call: Call) -> bool:
    return "json" in call.headers.get("accept", "")


@fault("0-bodies-are-json", _LABEL, source=SPRING_CONVERTERS)
class _XmlUnlessJsonIsAskedFor(Service):
    """The XML converter comes first: clients that accept anything receive XML."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        if call.operation in _PUBLIC and reply.status == 200 and not _asks_for_json(call):
            return Reply(200, b"<document/>", {"content-type": "application/xml"})
        return reply


@fault("0-bodies-are-json", _LABEL, "2.4-object", source=SPRING_ERROR_PAGE)
class _ErrorPagesUnlessJsonIsAskedFor(Service):
    """The framework answers errors with a page, unless the client accepts JSON."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        return reply if reply.status < 400 or _asks_for_json(call) else Reply(reply.status, b"<h1>Error</h1>", _PAGE)


@fault(
    "5.3-create-without-token",
    "5.3-read-without-token",
    "5.3-delete-without-token",
    "5.3-create-with-bad-token",
    "5.3-read-with-bad-token",
    "5.3-delete-with-bad-token",
    source=LARAVEL_LOGIN,
)
class _LoginUnlessJsonIsAskedFor(Service):
    """The service redirects clients without login to the login page, unless they accept JSON."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        return reply if reply.status != 401 or _asks_for_json(call) else Reply(302, b"", {"location": "/login"})


@fault("4.1-requested-types", source=MEDIA_TYPE)
class _LabelsWithAParameterAreNotKnown(Service):
    """The service compares the media type as a string: with a parameter, it ignores the body and requests all types."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        known = call.headers.get("content-type") in (None, "application/json")
        return super().wanted_types(call if known else replace(call, body=b""))
