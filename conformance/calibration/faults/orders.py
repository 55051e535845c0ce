"""Faults that show only after an order of calls, or after a full account."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

from conformance.calibration.faults.common import Remembering
from conformance.calibration.sources import SIDEKIQ_UNIQUE_JOBS
from conformance.calibration.variant import fault
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@fault("2.3-maxNumberOfRequests", source="2.3, table, row 3, Meaning")
class _SettingsShowWhatIsLeft(Service):
    """The settings show the limit minus the requests of the fullest account, and no limit when this is zero."""

    def settings(self, call: Call) -> Any:
        held = Counter(each.owner for each in self.store.all())
        full = any(number >= self.config.max_requests for number in held.values())
        return super().settings(call) | ({"maxNumberOfRequests": None} if full else {})


@fault("3-removed", max_requests=2, source=SIDEKIQ_UNIQUE_JOBS)
class _SecondPurgeReplacesTheFirst(Remembering):
    """Purges of the cache are unique jobs (sidekiq-unique-jobs, on_conflict: replace): of two deletions in a row only
    the second is purged, until a creation empties the cache."""

    waiting = cached_property(lambda _: list[str]())

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.waiting.append(request.id)
        return super().remove(request)

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = await super().admit(types, call)
        self.waiting.clear()
        return made

    def read(self, call: Call) -> Reply:
        """Return the request that the call names, deleted or not."""
        if call.request_id in self.waiting[:-1]:
            request = self.find_removed(call)
            if request.owner == call.owner:
                return Reply.json(self.document(request, call))
        return super().read(call)
