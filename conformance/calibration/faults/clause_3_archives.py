"""Faults of clauses 3 and 4.6: what is kept apart from the requests in progress, and what is erased with them."""

from __future__ import annotations

from typing import Any

from conformance.calibration.variant import fault
from conformance.reference.call import Call, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@fault("3-deletes-completed", "4.3-answers-ok", "3-removed", complete_after=0.05)
class _ArchiveOpenedWhenNothingElseIsThere(Service):
    """A deletion looks among what is in progress, and in the archive only where the user has nothing in progress."""

    async def delete(self, call: Call) -> Reply:
        request, now = self.find(call), self.now()
        mine = [each for each in self.store.all() if each.owner == request.owner]
        if request.completed_at(now) and not all(each.completed_at(now) for each in mine):
            raise RefusedError(Condition.NO_REQUEST)
        return await super().delete(call)


@fault("4.6-exists")
class _AccountGoesWithTheRequest(Service):
    """A deletion erases whatever is held in the name of the request, the user's record in GET /data/me too."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.erased: set[str] = set()

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.erased.add(request.owner)
        return super().remove(request)

    def data_me(self, call: Call) -> Any:
        if call.user is not None and call.user.name in self.erased:
            raise RefusedError(Condition.NO_PATH)
        return super().data_me(call)
