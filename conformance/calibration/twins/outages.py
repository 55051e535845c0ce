"""Twins that something in front of the service makes unavailable for a while, in words of its own: clause 7."""

from __future__ import annotations

from conformance.calibration.twins.common import UNDECIDED
from conformance.calibration.variant import twin
from conformance.model.requirements import all_testable
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

_ANY = dict.fromkeys(sorted(all_testable()), UNDECIDED)
"""The order of the calls decides which requirements an outage leaves undecided."""


class _RefusesAllForAWhile(Service):
    """Answers some calls in a row with one page, whatever they ask."""

    first = 0
    calls = 0

    async def shortcut(self, call: Call) -> Reply | None:  # noqa: ARG002 the same for every call
        return self.page() if self.first <= self.turn("calls") < self.first + self.calls else None

    def page(self) -> Reply:
        """Return the page."""
        raise NotImplementedError


@twin("7", _ANY)
class _BannedForAWhile(_RefusesAllForAWhile):
    """A firewall answers 403 with a page to 40 calls in a row, because it has seen too many refused ones."""

    first = 180
    calls = 40

    def page(self) -> Reply:
        return Reply(403, b"<h1>Blocked</h1>", {"content-type": "text/html"})


@twin("7", _ANY)
class _NoBackendForAWhile(_RefusesAllForAWhile):
    """A gateway answers 404 in plain text to 20 calls in a row, while a new version of the service starts."""

    first = 120
    calls = 20

    def page(self) -> Reply:
        return Reply(404, b"default backend - 404", {"content-type": "text/plain"})


@twin("7", _ANY)
class _UnderMaintenanceAtTheEnd(_RefusesAllForAWhile):
    """From some call on, everybody is redirected to a page on maintenance."""

    first = 330
    calls = 1_000

    def page(self) -> Reply:
        return Reply(302, b"", {"location": "https://status.service.example/"})
