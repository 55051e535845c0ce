"""Faults of clauses 3, 4 and 8 that a sequence of calls shows, of one user or of two."""

from __future__ import annotations

from conformance.calibration.faults.common import Remembering
from conformance.calibration.sources import ECMASCRIPT_SPLICE
from conformance.calibration.variant import fault
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service


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
class _RequestForAllStaysReadable(Remembering):
    """Requests for all types are stored in another table, where a deletion only marks the row."""

    def read(self, call: Call) -> Reply:
        request, _ = self.removed.get(call.request_id, (None, None))
        is_marked = request is not None and len(request.types) == len(self.types)
        return Reply.json(self.document(request, call)) if request and is_marked else super().read(call)
