"""Faults that show when requests complete a while after they were created."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from conformance.calibration.variant import fault
from conformance.model.target import Budget
from conformance.reference.call import Call, Reply
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_WAITING: Final = {"budget": Budget(await_completion=2.0)}
_AFTER: Final = 1.0


@fault("3-deletes-completed", "4.3-answers-ok", complete_after=_AFTER, run=_WAITING)
class _CompletedLateNotFoundOnDelete(Service):
    """Deletion looks among the requests in progress only, which a request is for a second."""

    async def delete(self, call: Call) -> Reply:
        if self.find(call).completed_at(self.now()) is not None:
            raise RefusedError(Condition.NO_REQUEST)
        return await super().delete(call)


@fault("8-completed-do-not-count", complete_after=_AFTER, run=_WAITING)
class _CompletedLateStillCount(Service):
    """Every request that exists counts, also one that was completed after a second."""

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return sum(each.owner == request.owner for each in existing) < self.config.max_requests


_ALL_TYPES = ("4.1-requested-types", "4.1-body-omitted")


@fault("4.2-agrees-with-creation", *_ALL_TYPES, complete_after=_AFTER, run=_WAITING)
class _CompletedLateLosesItsTypes(Service):
    """A completed request moves to an archive that keeps its dates only."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        document = super().document(request, call)
        return document | {"dataRequested": []} if document["isCompleted"] else document
