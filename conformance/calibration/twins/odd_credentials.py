"""Twins with a credential in another place than the Authorization header, or that let no odd token pass (5)."""

from __future__ import annotations

import re
from dataclasses import replace
from uuid import NAMESPACE_URL, uuid5

from conformance.calibration.sources import BEARER_IN_QUERY, DJANGO_FORMS, DJANGO_SESSIONS, DRF_AUTHENTICATION
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import NO_ANSWER, Action, Call, Reply
from conformance.reference.config import User
from conformance.reference.service import Service

_OF_RFC_6750 = re.compile(r"[A-Za-z0-9._~+/-]*=*")


def _refusing_odd_tokens(reply: Reply) -> type[Service]:
    """Return a service behind a gateway that gives `reply` to tokens with characters that RFC 6750 does not allow."""

    class Changed(Service):
        async def perform(self, call: Call) -> Reply:
            odd = any(not _OF_RFC_6750.fullmatch(each.partition(" ")[2].strip()) for each in call.authorization)
            return replace(reply, headers={**reply.headers}) if odd else await super().perform(call)

    return Changed


_PAGE = {"content-type": "text/html", "connection": "close"}
add_twin(
    "5.3",
    "odd-tokens-are-malformed-calls",
    "A gateway answers 400 with its own page to a token with other characters than RFC 6750 allows, and hangs up.",
    service=_refusing_odd_tokens(Reply(400, b"<h1>400 Bad Request</h1>", _PAGE)),
)
add_twin(
    "5.3",
    "odd-tokens-have-no-answer",
    "A firewall closes the connection at a token with a quote or with a letter outside ASCII.",
    service=_refusing_odd_tokens(Reply(NO_ANSWER, b"")),
)


class _WithSession(Service):
    """Starts a session with the first answer to a token."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        if call.user is not None:
            reply.headers["set-cookie"] = f"JSESSIONID={self.session_of(call.user)}; Path=/; HttpOnly"
        return reply

    def session_of(self, user: User) -> str:
        """Return the session of a user."""
        return uuid5(NAMESPACE_URL, user.token).hex


@twin("5.1", source=DJANGO_SESSIONS)
class _SessionOfTheFramework(_WithSession):
    """The framework sets a session cookie, which the service does not look at."""


@twin("5.1", alerts=("5-session-cookie",), source=DRF_AUTHENTICATION)
class _SessionReplacesTheToken(_WithSession):
    """The framework keeps who was logged in: its session cookie is accepted without a token."""

    def authenticate(self, call: Call) -> User | None:
        given = call.headers.get("cookie", "")
        known = (each for each in self.config.users if self.session_of(each) in given)
        return super().authenticate(call) or (None if call.authorization else next(known, None))


@twin("5.1", source=DJANGO_FORMS)
class _SessionNeedsAFormToken(_WithSession):
    """The framework answers 400 with a page to a POST that has its session cookie, and no token of a form."""

    async def perform(self, call: Call) -> Reply:
        if call.operation is Action.CREATE and "cookie" in call.headers and not call.authorization:
            return Reply(400, b"<h1>Antiforgery token missing</h1>", {"content-type": "text/html"})
        return await super().perform(call)


@twin("5.1", alerts=("5-token-in-query",), source=BEARER_IN_QUERY)
class _TokenInTheQueryAsWell(Service):
    """Without the header, the query parameter access_token may carry the token, as RFC 6750 describes it."""

    def token(self, call: Call) -> str | None:
        return super().token(call) or call.query.get("access_token")
