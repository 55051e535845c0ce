"""Faults of clauses 3, 4 and 8 that a sequence of calls shows, of one user or of two."""

from __future__ import annotations

from functools import cached_property

from conformance.calibration.sources import ECMASCRIPT_SPLICE
from conformance.calibration.variant import fault
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@fault("3-deletes-no-other", "4.3-answers-ok", source=ECMASCRIPT_SPLICE)
class _DeletingNothingRemovesTheNewestOfAll(Service):
    """JavaScript: requests.splice(requests.indexOf(found), 1) removes the last element where nothing was found."""

    async def delete(self, call: Call) -> Reply:
        found = self.store.get(call.request_id)
        if found is None or found.owner != call.owner:
            for each in self.store.all()[-1:]:
                self.remove(each)
        return await super().delete(call)


@fault("3-deletes-no-other", "4.3-answers-ok", source="7, table, row 5, Condition")
class _DeletingNothingRemovesTheOldest(Service):
    """A deletion that finds nothing deletes the first waiting request."""

    async def delete(self, call: Call) -> Reply:
        if self.store.get(call.request_id) is None:
            for each in self.store.of(call.owner)[:1]:
                self.remove(each)
        return await super().delete(call)


@fault("3-removed", source="4.1, item 2")
class _RequestForAllStaysReadable(Service):
    """Requests for all types are stored in another table, where a deletion only marks the row."""

    marked = cached_property(lambda _: dict[str, DataRequest]())

    def remove(self, request: DataRequest) -> DataRequest | None:
        if len(request.types) == len(self.types):
            self.marked[request.id] = request
        return super().remove(request)

    def read(self, call: Call) -> Reply:
        marked = self.marked.get(call.request_id)
        return Reply.json(self.document(marked, call)) if marked else super().read(call)
