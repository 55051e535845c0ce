"""Faults of clause 3 in services that keep what is completed apart from what is in progress."""

from __future__ import annotations

from conformance.reference.bend import fault
from conformance.reference.call import Call, Reply
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service


@fault("3-deletes-completed", "4.3-answers-ok", "3-removed", complete_after=0.05)
class _ArchiveOpenedWhenNothingElseIsThere(Service):
    """A deletion looks among what is in progress, and in the archive only where the user has nothing in progress."""

    async def delete(self, call: Call) -> Reply:
        request, now = self.find(call), self.now()
        mine = [each for each in self.store.all() if each.owner == request.owner]
        if request.completed_at(now) and not all(each.completed_at(now) for each in mine):
            raise RefusedError(Condition.NO_REQUEST)
        return await super().delete(call)
