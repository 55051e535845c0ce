"""Twins whose requests complete because of other calls: when a request is completed is not shown (3)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from conformance.calibration.twins.common import (
    HIDDEN,
    LIMIT_NOT_MET,
    NOT_COMPLETED,
    NOT_IN_PROGRESS,
)
from conformance.calibration.variant import twin
from conformance.reference.call import Call, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


class _Completing(Service):
    """Keeps which requests are completed."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.done: dict[str, datetime] = {}

    def complete(self, request: DataRequest) -> None:
        """Complete a request, if it is not already."""
        self.done.setdefault(request.id, self.now())

    def holds_place(self, request: DataRequest, owner: str) -> bool:
        return super().holds_place(request, owner) and request.id not in self.done

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        shown = super().document(request, call)
        moment = self.done.get(request.id)
        return shown if moment is None else shown | {"isCompleted": True, "completedAt": self.timestamp(moment)}


@twin("3", LIMIT_NOT_MET | NOT_IN_PROGRESS | NOT_COMPLETED)
class _CompletesWhenRead(_Completing):
    """A request is complete as soon as somebody looks at it."""

    def read(self, call: Call) -> Reply:
        self.complete(self.find(call))
        return super().read(call)


@twin("3", LIMIT_NOT_MET | NOT_IN_PROGRESS | NOT_COMPLETED | HIDDEN)
class _CompletesWhenAnotherIsCreated(_Completing):
    """Creating a request completes the user's oldest one, which can then no longer be read, only deleted."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = await super().admit(types, call)
        for oldest in [each for each in self.store.all() if each.owner == made.owner and each.id != made.id][:1]:
            self.complete(oldest)
        return made

    def read(self, call: Call) -> Reply:
        if self.find(call).id in self.done:
            raise RefusedError(Condition.NO_REQUEST)
        return super().read(call)


@twin("3", LIMIT_NOT_MET | NOT_IN_PROGRESS | NOT_COMPLETED)
class _CompletesWhenAnotherIsDeleted(_Completing):
    """Deleting a request lets the user's next one be completed."""

    def remove(self, request: DataRequest) -> DataRequest | None:
        for following in [each for each in self.store.all() if each.owner == request.owner and each.id != request.id][
            :1
        ]:
            self.complete(following)
        return super().remove(request)
