"""Twins with unusual base addresses, and with paths, identifiers and methods of which the specification says little."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.service import Service

for _name, _text, _prefix in (
    ("with-other-scripts", "The base address has a path in other scripts.", "/café/日本/v1"),
    ("with-blanks", "The base address has a path with spaces and special characters.", "/my api/v1;x=1/(a)!$&'*+,=:@"),
    ("named-like-operations", "The base address ends like an operation.", "/data/me/requests"),
    ("named-like-the-settings", "The base address ends in settings, so that the path contains it twice.", "/settings"),
):
    add_twin("4", f"served-at-a-path-{_name}", _text, path_prefix=_prefix)


class _Otherwise(Service):
    condition = ErrorCondition.NO_PATH

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        return self.otherwise() if condition is self.condition else super().refuse(condition, call)

    def otherwise(self) -> Reply:
        """Return the answer to a path or method that the interface does not name."""
        return Reply.json({"error": "Unauthorized"}, 401)


@twin("4")
class _UnknownPathsWantTokens(_Otherwise):
    """Paths that the interface does not name answer 401."""


@twin("4")
class _UnknownPathsServePages(_Otherwise):
    """Paths that the interface does not name answer 200 with the start page."""

    def otherwise(self) -> Reply:
        return Reply(200, b"<!doctype html><title>Shop</title>", {"content-type": "text/html"})


@twin("4")
class _OtherMethodsAnswerOk(_Otherwise):
    """Methods that the interface does not name answer 200 with nothing."""

    condition = ErrorCondition.METHOD

    def otherwise(self) -> Reply:
        return Reply(200)


class _Moved(Service):
    async def shortcut(self, call: Call) -> Reply | None:
        there = self.place(call)
        if there is None or "moved" in call.query:
            return None
        return Reply(308, b"", {"location": f"{there}?moved=1"})

    def place(self, call: Call) -> str | None:
        """Return the path to which the service redirects the call, or None."""
        return "data" if call.operation is Action.DATA else None


@twin("4.5")
class _DataRedirect(_Moved):
    """GET /data redirects once, within the origin, to a relative address."""


@twin("4.6")
class _DataMeRedirect(_Moved):
    """GET /data/me redirects once, within the origin, to a path without a host."""

    def place(self, call: Call) -> str | None:
        return f"{self.config.path_prefix}/data/me" if call.operation is Action.DATA_ME else None


@twin("4.2")
class _ReadRedirect(_Moved):
    """Reading with a token redirects once, within the origin; without one it answers 401 at once."""

    def place(self, call: Call) -> str | None:
        if call.operation is not Action.READ or self.authenticate(call) is None:
            return None
        return f"{self.config.path_prefix}/requests/{call.request_id}" if len(call.request_id) == 36 else None


@twin("4.2")
class _ReadRedirectBeforeTheToken(Service):
    """Reading redirects, within the origin, to a path with a slash at its end, which checks the token."""

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation is not Action.READ:
            return None
        if not call.request_id.endswith("/"):
            return Reply(307, b"", {"location": f"{quote(call.request_id, safe='')}/"})
        call.request_id = call.request_id.removesuffix("/")
        return None


@twin("4.2")
class _WordsLeadToTheStartPage(Service):
    """Reading by what is no UUID, with the token, redirects within the origin to the start page, which answers 200."""

    async def shortcut(self, call: Call) -> Reply | None:
        if "start" in call.query:
            return Reply(200, b"<!doctype html><title>Shop</title>", {"content-type": "text/html"})
        if call.operation is not Action.READ or len(call.request_id) == 36 or self.authenticate(call) is None:
            return None
        return Reply(302, b"", {"location": f"{self.config.path_prefix}/?start=1"})


@twin("5", alerts=("5-existence-shown",))
class _NotFoundForOthersInOtherWords(Service):
    """Another user's request answers 404 with its own message: the row of the table is about what no request has."""

    def error(self, condition: ErrorCondition, call: Call) -> Any:
        document = super().error(condition, call)
        theirs = condition is ErrorCondition.NO_REQUEST and self.store.get(call.request_id) is not None
        return {**document, "message": "This is not yours."} if theirs else document
