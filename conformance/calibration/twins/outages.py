"""Twins that are unavailable for a while, or that change during a run: no clause says how long anything is valid."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from conformance.calibration.sources import (
    CLOUDFLARE_CHALLENGES,
    CONNECTION_POOLS,
    FAIL2BAN,
    KUBERNETES_ROLLOUT,
    OAUTH_LIFETIME,
    OWASP_RULES,
)
from conformance.calibration.twins.common import UNDECIDED
from conformance.calibration.variant import Acceptable, twin
from conformance.model.requirements import all_testable
from conformance.reference.call import Action, Call, Reply
from conformance.reference.config import User
from conformance.reference.service import Service

_ANY = dict.fromkeys(sorted(all_testable()), UNDECIDED)
"""The order of the calls decides which requirements an outage leaves undecided."""


class _RefusesAll(Service):
    """Answers some calls in a row with one page, to every operation alike, once or several times in a run."""

    first = 0
    lengths: tuple[int, ...] = (1, 2, 1, 6, 3)
    every = 100
    status = 0
    body = b""
    headers: Mapping[str, str]

    async def shortcut(self, call: Call) -> Reply | None:  # noqa: ARG002 the same for every call
        time, place = divmod(self.turn("calls") - self.first, self.every)
        if 0 <= time < len(self.lengths) and place < self.lengths[time]:
            return Reply(self.status, self.body, dict(self.headers))
        return None


@twin("7", _ANY, source=KUBERNETES_ROLLOUT)
class _NoBackendForAWhile(_RefusesAll):
    """A gateway answers 404 in plain text to 20 calls in a row, while a new version of the service starts."""

    first, lengths = 120, (20,)
    status, body, headers = 404, b"default backend - 404", {"content-type": "text/plain"}


@twin("7", _ANY, source=OWASP_RULES)
class _BlockedNowAndThen(_RefusesAll):
    """A firewall answers 403 with a page for a moment, now and then."""

    first = 33
    status, body, headers = 403, b"<h1>Blocked</h1>", {"content-type": "text/html"}


@twin("7", _ANY, source=CLOUDFLARE_CHALLENGES)
class _ChecksTheClientNowAndThen(_RefusesAll):
    """A gateway answers every hundredth call with a page, and lets the same call pass when it comes again."""

    first, lengths = 35, (1,) * 20
    status, body, headers = 403, b"<h1>Checking your browser</h1>", {"content-type": "text/html"}


@twin("5.3", _ANY, source=FAIL2BAN)
class _ClientIsBanned(Service):
    """After twenty calls with invalid tokens a firewall answers all calls on data requests with a page 403."""

    is_banned = False

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation not in (Action.CREATE, Action.READ, Action.DELETE):
            return None
        if not self.is_banned and call.authorization and self.authenticate(call) is None:
            self.is_banned = self.turn("refused") == 20
        return Reply(403, b"<h1>Blocked</h1>", {"content-type": "text/html"}) if self.is_banned else None


@twin("7", alerts=("0-server-errors",), source=CONNECTION_POOLS)
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
    source=OAUTH_LIFETIME,
)
class _TokensExpireInTheMiddle(_Expiring):
    """Both tokens expire in the middle of the run."""

    calls = 200


@twin(
    "5.5",
    _REFUSED | dict.fromkeys(("3-deletes-completed", "8-completed-do-not-count"), UNDECIDED),
    source=OAUTH_LIFETIME,
)
class _OneTokenExpires(_Expiring):
    """The first user's token expires late in the run; the other user's does not."""

    calls = 280
    whose = ("alice.example",)


@twin("4.1", {"4.1-refused-creates-nothing": ("inconclusive",)}, source="4.5, paragraph 1")
class _TypeIsWithdrawnInTheMiddle(Service):
    """The service removes a data type from the list in the middle of the run."""

    async def shortcut(self, call: Call) -> Reply | None:
        if self.turn("calls") == 150:
            self.types = self.types[1:]
            self.type_names = frozenset(each.type for each in self.types)
        return await super().shortcut(call)
