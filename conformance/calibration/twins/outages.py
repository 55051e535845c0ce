"""Twins that are unavailable for a while: clause 7. What is in front of the service says so, or a server error."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from conformance.calibration.sources import CLOUDFLARE_CHALLENGES, CONNECTION_POOLS, KUBERNETES_ROLLOUT, OWASP_RULES
from conformance.calibration.twins.common import UNDECIDED
from conformance.calibration.variant import twin
from conformance.model.requirements import all_testable
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

_ANY = dict.fromkeys(sorted(all_testable()), UNDECIDED)
"""The order of the calls decides which requirements an outage leaves undecided."""


class _RefusesAllForAWhile(Service):
    """Answers some calls in a row with one page, to every operation alike."""

    first = 0
    calls = 0
    status = 0
    body = b""
    headers: Mapping[str, str]

    async def shortcut(self, call: Call) -> Reply | None:  # noqa: ARG002 the same for every call
        if self.first <= self.turn("calls") < self.first + self.calls:
            return Reply(self.status, self.body, dict(self.headers))
        return None


@twin("7", _ANY, source=KUBERNETES_ROLLOUT)
class _NoBackendForAWhile(_RefusesAllForAWhile):
    """A gateway answers 404 in plain text to 20 calls in a row, while a new version of the service starts."""

    first, calls = 120, 20
    status, body, headers = 404, b"default backend - 404", {"content-type": "text/plain"}


class _RefusesAllNowAndThen(_RefusesAllForAWhile):
    """Answers one to six calls in a row with one page, several times in a run."""

    lengths: tuple[int, ...] = (1, 2, 1, 6, 3)
    every = 100

    async def shortcut(self, call: Call) -> Reply | None:  # noqa: ARG002 the same for every call
        time, place = divmod(self.turn("calls") - self.first, self.every)
        if 0 <= time < len(self.lengths) and place < self.lengths[time]:
            return Reply(self.status, self.body, dict(self.headers))
        return None


@twin("7", _ANY, source=OWASP_RULES)
class _BlockedNowAndThen(_RefusesAllNowAndThen):
    """A firewall answers 403 with a page for a moment, now and then."""

    first = 33
    status, body, headers = 403, b"<h1>Blocked</h1>", {"content-type": "text/html"}


@twin("7", _ANY, source=CLOUDFLARE_CHALLENGES)
class _ChecksTheClientNowAndThen(_RefusesAllNowAndThen):
    """A gateway answers every hundredth call with a page, and lets the same call pass when it comes again."""

    first, lengths = 35, (1,) * 20
    status, body, headers = 403, b"<h1>Checking your browser</h1>", {"content-type": "text/html"}


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
