"""Faults that show after a call that was refused, concerned another user's request, or repeated an earlier call."""

from __future__ import annotations

from collections import Counter
from typing import Any

from conformance.calibration.variant import fault
from conformance.reference.call import Call
from conformance.reference.service import Service


@fault("2.3-maxNumberOfRequests", source="2.3, table, row 3, Meaning")
class _SettingsShowWhatIsLeft(Service):
    """The settings show the limit minus the requests of the fullest account, and no limit when this is zero."""

    def settings(self, call: Call) -> Any:
        held = Counter(each.owner for each in self.store.all())
        full = any(number >= self.config.max_requests for number in held.values())
        return super().settings(call) | ({"maxNumberOfRequests": None} if full else {})
