"""Faults that show with some clients only: those that do not ask for JSON, write it otherwise, or are somebody else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.reference.bend import fault
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.service import Service

_LABEL = "0-json-media-type"
_PAGE = {"content-type": "text/html; charset=utf-8"}
_PUBLIC = (Operation.SETTINGS, Operation.DATA)


def _asks_for_json(call: Call) -> bool:
    return "json" in call.headers.get("accept", "")


@fault("0-bodies-are-json", _LABEL)
class _XmlUnlessJsonIsAskedFor(Service):
    """The converters are tried in their order, and the one for XML comes first: who accepts anything gets that."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        if call.operation in _PUBLIC and reply.status == 200 and not _asks_for_json(call):
            return Reply(200, b"<document/>", {"content-type": "application/xml"})
        return reply


@fault("0-bodies-are-json", _LABEL, "2.4-object")
class _ErrorPagesUnlessJsonIsAskedFor(Service):
    """The framework's own handler answers errors with a page, unless the client names JSON."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        return reply if reply.status < 400 or _asks_for_json(call) else Reply(reply.status, b"<h1>Error</h1>", _PAGE)


@fault("5.3-create-without-token", "5.3-read-without-token", "5.3-delete-without-token")
class _LoginUnlessJsonIsAskedFor(Service):
    """Who is not logged in and does not name JSON must be a browser, and is sent to the login page."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        return reply if reply.status != 401 or _asks_for_json(call) else Reply(302, b"", {"location": "/login"})


@fault("4.1-answers-200")
class _BodiesOfSeveralLinesAreRefused(Service):
    """The body is read up to its first line feed."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        first, several, _ = call.body.partition(b"\n")
        return super().wanted_types(replace(call, body=first) if several else call)


@fault("2.3-organisationName")
class _SettingsOfTheSecondUser(Service):
    """The settings of who is logged in are merged into the published ones, and those of the second user have a null."""

    def settings(self, call: Call) -> Any:
        user = self.authenticate(call)
        shown = super().settings(call)
        return shown | {"organisationName": None} if user and user is self.config.users[-1] else shown
