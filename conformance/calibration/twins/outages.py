"""Twins that something in front of the service makes unavailable for a while, in words of its own: clause 7."""

from __future__ import annotations

from collections.abc import Mapping

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


@twin("7", _ANY)
class _BannedForAWhile(_RefusesAllForAWhile):
    """A firewall answers 403 with a page to 40 calls in a row, because it has seen too many refused ones."""

    first, calls = 180, 40
    status, body, headers = 403, b"<h1>Blocked</h1>", {"content-type": "text/html"}


@twin("7", _ANY)
class _NoBackendForAWhile(_RefusesAllForAWhile):
    """A gateway answers 404 in plain text to 20 calls in a row, while a new version of the service starts."""

    first, calls = 120, 20
    status, body, headers = 404, b"default backend - 404", {"content-type": "text/plain"}


@twin("7", _ANY)
class _UnderMaintenanceAtTheEnd(_RefusesAllForAWhile):
    """From some call on, everybody is redirected to a page on maintenance."""

    first, calls = 330, 1_000
    status, headers = 302, {"location": "https://status.service.example/"}


class _RefusesAllNowAndThen(_RefusesAllForAWhile):
    """Answers one to six calls in a row with one page, several times in a run."""

    lengths = (1, 2, 1, 6, 3)
    every = 100

    async def shortcut(self, call: Call) -> Reply | None:  # noqa: ARG002 the same for every call
        time, place = divmod(self.turn("calls") - self.first, self.every)
        if 0 <= time < len(self.lengths) and place < self.lengths[time]:
            return Reply(self.status, self.body, dict(self.headers))
        return None


@twin("7", _ANY)
class _BlockedNowAndThen(_RefusesAllNowAndThen):
    """A firewall answers 403 with a page for a moment, now and then."""

    first = 33
    status, body, headers = 403, b"<h1>Blocked</h1>", {"content-type": "text/html"}


@twin("7", _ANY)
class _SentToAPageNowAndThen(_RefusesAllNowAndThen):
    """A gateway redirects everybody to a page on its state for a moment, now and then."""

    first = 47
    status, headers = 302, {"location": "https://status.service.example/"}


@twin("7", _ANY)
class _NoRouteNowAndThen(_RefusesAllNowAndThen):
    """A gateway answers 404 with an object of its own for a moment, whenever it reads its routes again."""

    first = 55
    status, body = 404, b'{"message": "no Route matched with those values"}'
    headers: Mapping[str, str] = {"content-type": "application/json"}
