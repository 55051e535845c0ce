"""Faults that some clients meet: those that accept any media type, write JSON differently, or are another user."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from conformance.calibration.variant import fault
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.service import Service

_LABEL = "0-json-media-type"
_PAGE = {"content-type": "text/html; charset=utf-8"}
_PUBLIC = (Action.SETTINGS, Action.DATA)


def _asks_for_json(call: Call) -> bool:
    return "json" in call.headers.get("accept", "")


@fault("0-bodies-are-json", _LABEL)
class _XmlUnlessJsonIsAskedFor(Service):
    """The XML converter comes first: clients that accept anything receive XML."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        if call.operation in _PUBLIC and reply.status == 200 and not _asks_for_json(call):
            return Reply(200, b"<document/>", {"content-type": "application/xml"})
        return reply


@fault("0-bodies-are-json", _LABEL, "2.4-object")
class _ErrorPagesUnlessJsonIsAskedFor(Service):
    """The framework answers errors with a page, unless the client accepts JSON."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        return reply if reply.status < 400 or _asks_for_json(call) else Reply(reply.status, b"<h1>Error</h1>", _PAGE)


_PROBLEM = ("0-bodies-are-json", _LABEL, "2.4-object")


def _page_for(what: str, requirements: tuple[str, ...], summary: str, shown: Callable[[Call, Reply], bool]) -> None:
    """Register a fault that answers with a page where `shown` is true, unless the client accepts JSON."""

    class Page(Service):
        def finish(self, reply: Reply, call: Call) -> Reply:
            return reply if _asks_for_json(call) or not shown(call, reply) else Reply(reply.status, b"<p>", _PAGE)

    Page.__doc__ = summary
    fault(*requirements, name=f"{what}-as-a-page-unless-json-is-asked-for")(Page)


_page_for(
    "unknown-requests",
    _PROBLEM,
    "The service shows a page when it does not find a request to read, unless the client accepts JSON.",
    lambda call, _: call.operation is Action.READ and call.condition is ErrorCondition.NO_REQUEST,
)
_page_for(
    "confirmations",
    ("4.3-answers-ok", "4.3-media-type"),
    "The service confirms a deletion with a page, unless the client accepts JSON.",
    lambda call, reply: call.operation is Action.DELETE and reply.status == 200,
)


@fault(
    "5.3-create-without-token",
    "5.3-read-without-token",
    "5.3-delete-without-token",
    "5.3-create-with-bad-token",
    "5.3-read-with-bad-token",
    "5.3-delete-with-bad-token",
)
class _LoginUnlessJsonIsAskedFor(Service):
    """The service redirects clients without login to the login page, unless they accept JSON."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        return reply if reply.status != 401 or _asks_for_json(call) else Reply(302, b"", {"location": "/login"})


@fault("4.1-answers-200")
class _BodiesOfSeveralLinesAreRefused(Service):
    """The service reads the body up to the first line feed."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        first, several, _ = call.body.partition(b"\n")
        return super().wanted_types(replace(call, body=first) if several else call)


@fault("4.1-requested-types", "4.1-answers-200")
class _ListsAfterWhiteSpaceAreNoLists(Service):
    """The first byte decides whether there is a list: a list after white space requests all types."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        return super().wanted_types(replace(call, body=b"") if call.body[:1].isspace() else call)


@fault("4.1-requested-types")
class _LabelsWithAParameterAreNotKnown(Service):
    """The service compares the media type as a string: with a parameter, it ignores the body and requests all types."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        known = call.headers.get("content-type") in (None, "application/json")
        return super().wanted_types(call if known else replace(call, body=b""))


@fault("4.1-answers-200", "4.1-requested-types")
class _ListsAreSplitAtCommaAndSpace(Service):
    """The service splits the list at comma and space, as its author's client writes it."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        apart = call.body.replace(b'","', b"")
        return super().wanted_types(replace(call, body=apart) if apart != call.body else call)
