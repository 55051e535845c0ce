"""Twins of GET /data/me, of which clause 4.6 shows only two names."""

from __future__ import annotations

from typing import Any

from conformance.calibration.operators import on_data_me
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.config import User
from conformance.reference.service import Service


@twin("4.6")
class _DataMeAsArray(Service):
    """An array of records, each with account and types: the specification does not show the shape."""

    def data_me(self, call: Call) -> Any:
        record = super().data_me(call)
        return [record, {"account": None, "types": {}}]


_NO_DATA_ME = dict.fromkeys(("4.6-account", "4.6-types"), ("inconclusive", "not-applicable"))


@twin("4.6", _NO_DATA_ME)
class _DataMeForbidden(Service):
    """GET /data/me answers 403 to these tokens: the specification does not show its authentication."""

    status = 403

    async def perform(self, call: Call) -> Reply:
        reply = await super().perform(call)
        return (
            Reply.json({"error": "Other", "message": "There is more to this."}, self.status)
            if call.operation is Action.DATA_ME
            else reply
        )


@twin("4.6", _NO_DATA_ME)
class _DataMeWantsAnotherToken(_DataMeForbidden):
    """GET /data/me answers 401 to these tokens: the specification does not show its authentication."""

    status = 401


@twin("4.6")
class _DataMeOpen(Service):
    """GET /data/me answers without a token too."""

    def authenticate(self, call: Call) -> User | None:
        user = super().authenticate(call)
        return self.config.users[0] if user is None and call.operation is Action.DATA_ME else user


def _deep(depth: int) -> Any:
    return {"inner": _deep(depth - 1), "more": [depth]} if depth else "end"


def _shown(record: Any) -> type[Service]:
    return on_data_me(lambda _document: record)


for _name, _text, _record in (
    ("of-nulls", "account and types are null.", {"account": None, "types": None}),
    ("of-scalars", "account is a number and types a string.", {"account": 7, "types": ""}),
    ("nested-deep", "account is nested a hundred levels deep.", {"account": _deep(100), "types": [[[]]]}),
    (
        "large",
        "account has twenty thousand members.",
        {"account": {f"field{n}": n for n in range(20_000)}, "types": {}},
    ),
):
    add_twin("4.6", f"data-me-{_name}", _text, service=_shown(_record))


@twin("4.6", dict.fromkeys(("4.6-account", "4.6-types"), ("not-applicable",)))
class _DataMeEmptyArray(Service):
    """GET /data/me answers with an empty array, because the service holds nothing about the user."""

    def data_me(self, call: Call) -> Any:  # noqa: ARG002 the same for all
        return []


@twin("4.6")
class _DataMeTellsOfTheRequests(Service):
    """The account lists the user's own requests with identifiers and moments."""

    def data_me(self, call: Call) -> Any:
        record = super().data_me(call)
        account = {
            "userName": record["account"],
            "requests": [{"requestId": each.id} for each in self.store.of(call.owner)],
            "lastRequests": self.last_ids[-3:],
        }
        return record | {"account": account}

    last_ids: tuple[str, ...] = ()

    def new_id(self, call: Call) -> str:
        made = super().new_id(call)
        self.last_ids = (*self.last_ids, made)
        return made


@twin("4.6", _NO_DATA_ME)
class _DataMeRefusesWithoutParameters(_DataMeForbidden):
    """GET /data/me answers 400 without an undocumented parameter: the specification does not show its parameters."""

    status = 400


@twin("4.6")
class _DataMeOfOneAccountOnly(Service):
    """The second account has no record yet, and GET /data/me answers 404 to it; the first account has one."""

    def data_me(self, call: Call) -> Any:
        if call.user == self.config.users[1]:
            raise RefusedError(ErrorCondition.NO_PATH)
        return super().data_me(call)


@twin("4.6", dict.fromkeys(("4.6-account", "4.6-types"), ("not-applicable",)))
class _DataMeHasNoRecordYet(Service):
    """The accounts have no record yet: GET /data/me answers 404 with a page to them, and 401 without a token."""

    def data_me(self, call: Call) -> Any:  # noqa: ARG002 the same for all
        raise RefusedError(ErrorCondition.NO_PATH)

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        reply = super().refuse(condition, call)
        page = condition is ErrorCondition.NO_PATH and call.operation is Action.DATA_ME
        return Reply(404, b"<p>Nothing here yet</p>", {"content-type": "text/html"}) if page else reply


@twin("4.6", _NO_DATA_ME)
class _DataMeWantsASession(Service):
    """GET /data/me is a page of the web shop: without its session, a 401 with a page, for every token."""

    page = Reply(401, b"<html>Please log in</html>", {"content-type": "text/html"})

    async def shortcut(self, call: Call) -> Reply | None:
        return self.page if call.operation is Action.DATA_ME else None


@twin("4.6", _NO_DATA_ME)
class _DataMeShowsALogin(_DataMeWantsASession):
    """GET /data/me answers 200 with the page of a login, for every token."""

    page = Reply(200, b"<html>Log in</html>", {"content-type": "text/html"})


@twin("4.6")
class _DataMeShowsALoginWithoutAToken(_DataMeShowsALogin):
    """Without a token, GET /data/me shows the page of a login."""

    async def shortcut(self, call: Call) -> Reply | None:
        return None if self.authenticate(call) else await super().shortcut(call)


class _UnknownPathsLikeDataMe(Service):
    """A gateway answers GET /data/me and each path that it does not know in the same way."""

    def answer_of_the_gateway(self, call: Call) -> Reply:  # noqa: ARG002 variants use it
        """Return that answer."""
        return Reply(403, b"<html>Request blocked</html>", {"content-type": "text/html"})

    async def shortcut(self, call: Call) -> Reply | None:
        return self.answer_of_the_gateway(call) if call.operation is Action.DATA_ME else None

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        if condition is ErrorCondition.NO_PATH:
            return self.answer_of_the_gateway(call)
        return super().refuse(condition, call)


_UNKNOWN_PATH = _NO_DATA_ME | {"4.6-exists": ("inconclusive",)}


@twin("4.6", _UNKNOWN_PATH)
class _UnknownPathsAreForbidden(_UnknownPathsLikeDataMe):
    """A gateway answers 403 to each path below /data, also to GET /data/me: no client sees whether it exists."""


@twin("4.6", _UNKNOWN_PATH)
class _UnknownPathsSendToALogin(_UnknownPathsLikeDataMe):
    """A portal sends the reader of each page, also of GET /data/me, to its login: no client sees whether it exists."""

    def answer_of_the_gateway(self, call: Call) -> Reply:
        return Reply(302, b"", {"location": f"/login?next={call.path}"})


class _DataMeSendsToALogin(Service):
    """GET /data/me redirects to a login, for which these tokens are not valid."""

    login = "/login"
    page = Reply(404, b"<p>Not here</p>", {"content-type": "text/html"})

    async def shortcut(self, call: Call) -> Reply | None:
        if "login" in call.query:
            return self.page
        if call.operation is Action.DATA_ME:
            return Reply(302, b"", {"location": self.login})
        return await super().shortcut(call)


@twin("4.6", _NO_DATA_ME)
class _DataMeSendsToALoginElsewhere(_DataMeSendsToALogin):
    """GET /data/me redirects to a login, which answers 404 to a call without a return address."""


@twin("4.6", _NO_DATA_ME)
class _DataMeSendsToALoginOnAnEmojiDomain(_DataMeSendsToALogin):
    """GET /data/me redirects to a login at a name that IDNA 2008 refuses (RFC 5892) and registries sell."""

    login = "https://xn--n3h.example/login"


@twin("4.6", _NO_DATA_ME)
class _DataMeSendsToALoginPage(_DataMeSendsToALogin):
    """GET /data/me redirects to itself with a query, and then shows the page of a login."""

    login = "?login=1"
    page = Reply(200, b"<html>Log in</html>", {"content-type": "text/html"})


@twin("4.6", _NO_DATA_ME)
class _DataMeSendsToALoginWithPagesOfItsOwn(_DataMeSendsToALogin):
    """GET /data/me redirects to a login, which is no operation of the interface and answers 400 with a page."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        if call.operation is Action.OTHER:
            return Reply(400, b"<p>Where did you come from?</p>", {"content-type": "text/html"})
        return super().finish(reply, call)


@twin("4.6", _NO_DATA_ME)
class _DataMeWantsAnUpgrade(Service):
    """/data/me, whose answers are not shown, is served by another version of HTTP only: 426."""

    async def shortcut(self, call: Call) -> Reply | None:
        return Reply(426, b"", {"upgrade": "h2c"}) if call.operation is Action.DATA_ME else None
