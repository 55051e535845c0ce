"""Faults of clauses 2, 3 and 4 that a sequence of calls shows, of one user or of two, or a full account."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

from conformance.calibration import sources
from conformance.calibration.faults.common import Remembering
from conformance.calibration.variant import fault
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@fault("3-deletes-no-other", "4.3-answers-ok", source=sources.ECMASCRIPT_SPLICE, at="delete")
def deleting_nothing_removes_the_newest_of_all(service: Service, call: Call) -> Reply | None:
    """JavaScript: requests.splice(requests.indexOf(found), 1) removes the last element where nothing was found."""
    found = service.store.get(call.request_id)
    if found is None or found.owner != call.owner:
        for each in service.store.all()[-1:]:
            service.remove(each)
    return None


@fault("3-deletes-no-other", "4.3-answers-ok", source="7, table, row 5, Condition", at="delete")
def deleting_nothing_removes_the_oldest(service: Service, call: Call) -> Reply | None:
    """A deletion that finds nothing deletes the first waiting request."""
    if service.store.get(call.request_id) is None:
        for each in service.store.of(call.owner)[:1]:
            service.remove(each)
    return None


@fault("3-removed", source="4.1, item 2", base=Remembering, at="read")
def request_for_all_stays_readable(service: Remembering, call: Call) -> Reply | None:
    """Requests for all types are stored in another table, where a deletion only marks the row."""
    request, _ = service.removed.get(call.request_id, (None, None))
    is_marked = request is not None and len(request.types) == len(service.types)
    return Reply.json(service.document(request, call)) if request and is_marked else None


@fault("2.3-maxNumberOfRequests", source="2.3, table, row 3, Meaning", of="settings")
def settings_show_what_is_left(service: Service, settings: Any, _call: Call) -> Any:
    """The settings show the limit minus the requests of the fullest account, and no limit when this is zero."""
    held = Counter(each.owner for each in service.store.all())
    full = any(number >= service.config.max_requests for number in held.values())
    return settings | ({"maxNumberOfRequests": None} if full else {})


@fault("3-removed", max_requests=2, source=sources.SIDEKIQ_UNIQUE_JOBS)
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
