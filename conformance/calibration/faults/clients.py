"""Faults that show with some clients only: those that do not ask for JSON, write it otherwise, or are somebody else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.calibration.variant import fault
from conformance.reference.call import Action, Call, Reply
from conformance.reference.errors import ErrorCondition, RefusedError
from conformance.reference.service import Service

_LABEL = "0-json-media-type"
_PAGE = {"content-type": "text/html; charset=utf-8"}
_PUBLIC = (Action.SETTINGS, Action.DATA)


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


_PROBLEM = ("0-bodies-are-json", _LABEL, "2.4-object")


def _page_for(what: str, requirements: tuple[str, ...], summary: str, shown: Callable[[Call, Reply], bool]) -> None:
    """Register a fault that answers with a page where `shown` says so, unless the client names JSON."""

    class Page(Service):
        def finish(self, reply: Reply, call: Call) -> Reply:
            return reply if _asks_for_json(call) or not shown(call, reply) else Reply(reply.status, b"<p>", _PAGE)

    Page.__doc__ = summary
    fault(*requirements, name=f"{what}-as-a-page-unless-json-is-asked-for")(Page)


_page_for(
    "unknown-types",
    _PROBLEM,
    "The form of the web site is shown again where types are refused, unless the client names JSON.",
    lambda call, _: call.condition is ErrorCondition.DATA_TYPES,
)
_page_for(
    "the-limit",
    _PROBLEM,
    "Who has reached the limit is shown the page of their requests, unless the client names JSON.",
    lambda call, _: call.condition is ErrorCondition.LIMIT,
)
_page_for(
    "unknown-languages",
    _PROBLEM,
    "Where a translation is missing a page says so, unless the client names JSON.",
    lambda call, _: call.condition is ErrorCondition.LANGUAGE,
)
_page_for(
    "unknown-requests",
    _PROBLEM,
    "What is not there to be read is answered by the page of the site, unless the client names JSON.",
    lambda call, _: call.operation is Action.READ and call.condition is ErrorCondition.NO_REQUEST,
)
_page_for(
    "requests-gone",
    _PROBLEM,
    "What is not there to be deleted is answered by the page of the site, unless the client names JSON.",
    lambda call, _: call.operation is Action.DELETE and call.condition is ErrorCondition.NO_REQUEST,
)
_page_for(
    "requests",
    ("0-bodies-are-json", _LABEL, "4.2-object"),
    "A request that is read is shown as the page of it, unless the client names JSON.",
    lambda call, reply: call.operation is Action.READ and reply.status == 200,
)
_page_for(
    "confirmations",
    ("4.3-answers-ok", "4.3-media-type"),
    "A deletion is confirmed by a page, unless the client names JSON.",
    lambda call, reply: call.operation is Action.DELETE and reply.status == 200,
)


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


@fault("4.1-requested-types", "4.1-answers-200")
class _ListsAfterWhiteSpaceAreNoLists(Service):
    """Whether there is a list is told by the first byte: with white space before it, all types are meant."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        return super().wanted_types(replace(call, body=b"") if call.body[:1].isspace() else call)


@fault("4.1-answers-200", "4.1-requested-types")
class _EscapedSlashesAreNotDecoded(Service):
    """The reader of strings knows the escapes that it writes itself, and that of the slash is not among them."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        if b"\\/" in call.body:
            raise RefusedError(ErrorCondition.DATA_TYPES)
        return super().wanted_types(call)


@fault("4.1-requested-types")
class _LabelsWithAParameterAreNotKnown(Service):
    """The label is compared as a string: a body that has a parameter behind it is not read, and all types are meant."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        known = call.headers.get("content-type") in (None, "application/json")
        return super().wanted_types(call if known else replace(call, body=b""))


@fault("4.1-answers-200", "4.1-requested-types")
class _ListsAreSplitAtCommaAndSpace(Service):
    """The list is split where the library of its author's client puts a comma and a space."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        apart = call.body.replace(b'","', b"")
        return super().wanted_types(replace(call, body=apart) if apart != call.body else call)


@fault("2.3-organisationName")
class _SettingsOfTheSecondUser(Service):
    """The settings of who is logged in are merged into the published ones, and those of the second user have a null."""

    def settings(self, call: Call) -> Any:
        user = self.authenticate(call)
        shown = super().settings(call)
        return shown | {"organisationName": None} if user and user is self.config.users[-1] else shown
