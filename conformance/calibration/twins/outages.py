"""Twins that are out of service, turn a client away, or let a token expire during the run: clauses 5.5 and 7."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from conformance.calibration import sources
from conformance.calibration.twins.common import UNDECIDED
from conformance.calibration.variant import Acceptable, twin
from conformance.model.requirements import all_testable
from conformance.reference.call import Action, Call, Reply
from conformance.reference.config import User
from conformance.reference.service import Service

_ANY = dict.fromkeys(sorted(all_testable()), UNDECIDED)
"""The order of the calls decides which requirements an outage leaves undecided."""


def _in_a_row(service: Service, first: int, lengths: Sequence[int], reply: Reply) -> Reply | None:
    """Return the answer to some calls in a row, to every operation alike, in each hundred calls from the first on."""
    time, place = divmod(service.turn("calls") - first, 100)
    return reply if 0 <= time < len(lengths) and place < lengths[time] else None


@twin("7", _ANY, source=sources.KUBERNETES_ROLLOUT)
def no_backend_for_a_while(service: Service, _call: Call) -> Reply | None:
    """A gateway answers 404 in plain text to 20 calls in a row, while a new version of the service starts."""
    return _in_a_row(service, 120, (20,), Reply(404, b"default backend - 404", {"content-type": "text/plain"}))


@twin("7", _ANY, source=sources.OWASP_RULES)
def blocked_now_and_then(service: Service, _call: Call) -> Reply | None:
    """A firewall answers 403 with a page for a moment, now and then."""
    page = Reply(403, b"<h1>Blocked</h1>", {"content-type": "text/html"})
    return _in_a_row(service, 33, (1, 2, 1, 6, 3), page)


@twin("7", _ANY, source=sources.AWS_WAF)
def turned_away_for_a_while(service: Service, _call: Call) -> Reply | None:
    """A gateway that counts the calls of a client answers 403 in JSON of its own to 60 of them in a row."""
    return _in_a_row(service, 300, (60,), Reply.json({"message": "Forbidden"}, 403))


@twin("7", _ANY, source=sources.KONG_NO_ROUTE)
def no_route_for_a_while(service: Service, _call: Call) -> Reply | None:
    """A gateway that loads its routes again answers 404 in JSON of its own to nine calls in a row."""
    return _in_a_row(service, 200, (9,), Reply.json({"message": "no Route matched with those values"}, 404))


@twin("7", _ANY, source=sources.CLOUDFLARE_CHALLENGES)
def checks_the_client_now_and_then(service: Service, _call: Call) -> Reply | None:
    """A gateway answers every hundredth call with a page, and lets the same call pass when it comes again."""
    page = Reply(403, b"<h1>Checking your browser</h1>", {"content-type": "text/html"})
    return _in_a_row(service, 35, (1,) * 20, page)


@twin("5.3", _ANY, source=sources.FAIL2BAN)
class _ClientIsBanned(Service):
    """After twenty calls with invalid tokens a firewall answers all calls on data requests with a page 403."""

    is_banned = False

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation not in (Action.CREATE, Action.READ, Action.DELETE):
            return None
        if not self.is_banned and call.authorization and self.authenticate(call) is None:
            self.is_banned = self.turn("refused") == 20
        return Reply(403, b"<h1>Blocked</h1>", {"content-type": "text/html"}) if self.is_banned else None


@twin("7", alerts=("0-server-errors",), source=sources.CONNECTION_POOLS)
class _WithoutADatabaseForAMoment(Service):
    """Every call fails for a second and a half, until the database has a connection to spare."""

    began: datetime | None = None

    async def shortcut(self, call: Call) -> Reply | None:  # noqa: ARG002 the same for every call
        now = self.clock.moment()
        if self.turn("calls") == 100:
            self.began = now
        if self.began is None or now - self.began > timedelta(seconds=1.5):
            return None
        return Reply(500, b"<h1>Internal Server Error</h1>", {"content-type": "text/html"})


_REFUSED: Acceptable = {"5.1-accepts-bearer": ("inconclusive",)}
"""The specification does not show whether a refused token has expired (5.5)."""


class _Expiring(Service):
    """Accepts the tokens of the users named in `whose` for the first `calls` with any of them."""

    calls: int
    whose: tuple[str, ...] = ("alice.example", "bob.example")

    def accept(self, token: str) -> User | None:
        user = super().accept(token)
        if user is not None and user.name in self.whose and self.turn("calls with a token") >= self.calls:
            return None
        return user


@twin(
    "5.5",
    _REFUSED
    | {
        "4.1-requested-types": UNDECIDED,
        "4.1-empty-body-labelled": UNDECIDED,
        "3-removed": ("inconclusive",),
        "3-deletes-completed": UNDECIDED,
        "8-completed-do-not-count": UNDECIDED,
    },
    source=sources.OAUTH_LIFETIME,
)
class _TokensExpireInTheMiddle(_Expiring):
    """Both tokens expire in the middle of the run."""

    calls = 200


@twin(
    "5.5",
    _REFUSED | dict.fromkeys(("3-deletes-completed", "8-completed-do-not-count"), UNDECIDED),
    source=sources.OAUTH_LIFETIME,
)
class _OneTokenExpires(_Expiring):
    """The first user's token expires late in the run; the other user's does not."""

    calls = 280
    whose = ("alice.example",)
