"""Faults of clauses 3 and 4.6: requests that disappear without a deletion, or survive one once they are completed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from conformance.calibration.variant import fault
from conformance.model.target import Budget
from conformance.reference.call import Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_DELETION = "4.3-answers-ok"
_COMPLETED = "3-deletes-completed"


@fault(_DELETION)
class _StoresNothing(Service):
    """The endpoint answers before its storage is connected: a creation answers 200 and stores nothing."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        return self.new_request(types, call)


@fault(_DELETION)
class _KeepsTheNewestOnly(Service):
    """Each user has one record for requests, which a second creation overwrites."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = await super().admit(types, call)
        for each in self.store.of(made.owner):
            if each.id != made.id:
                self.store.remove(each.id)
        return made


@fault(_DELETION)
class _MakesRoomByDroppingTheOldest(Service):
    """The store has as many places as the limit, and a new request replaces the oldest."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        mine = self.store.of(call.owner)
        if len(mine) >= self.config.max_requests:
            self.store.remove(mine[0].id)
        return await super().admit(types, call)


@fault(_DELETION, _COMPLETED, "5.3-rejected-delete-deletes-nothing", complete_after=0.02)
class _DropsWhatIsCompleted(Service):
    """Completed requests leave the only table in which deletion looks."""

    async def perform(self, call: Call) -> Reply:
        for each in self.store.all():
            if each.completed_at(self.now()) is not None:
                self.store.remove(each.id)
        return await super().perform(call)


@fault(_COMPLETED, _DELETION, "5.3-rejected-delete-deletes-nothing", complete_after=0.01)
class _ReadingACompletedRequestEndsIt(Service):
    """The result is handed over once: the first reading that shows a request completed removes it."""

    def read(self, call: Call) -> Reply:
        request = self.find(call)
        reply = super().read(call)
        if request.completed_at(self.now()) is not None:
            self.store.remove(request.id)
        return reply


@fault("8-limit-enforced")
class _LimitOfMinusOneIsNoLimit(Service):
    """The product uses -1 for no limit and publishes it unchanged."""

    def settings(self, call: Call) -> object:
        return super().settings(call) | {"maxNumberOfRequests": -1}

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:  # noqa: ARG002 always
        return True


_WAITING: Final = {"budget": Budget(await_completion=2.0)}
_AFTER: Final = 1.0


@fault("8-completed-do-not-count", complete_after=_AFTER, run=_WAITING)
class _CompletedLateStillCount(Service):
    """All stored requests count, including those that completed after a second."""

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return sum(each.owner == request.owner for each in existing) < self.config.max_requests


class _OneIdentifier(Service):
    """All requests have one identifier: the example of the document, which the mock server returns."""

    _ID = "0b3d7c1e-5a4f-4c62-9e41-7a8d2b6c0f13"

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        return super().document(request, call) | {"requestId": self._ID}

    def find(self, call: Call) -> DataRequest:
        mine = self.store.of(call.owner) if call.request_id == self._ID else []
        if not mine:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return mine[0]


@fault("3-removed", "2.1-requestId-unique")
class _OneIdentifierAndDeletionsWithoutEffect(_OneIdentifier):
    """Every creation returns one identifier, and a deletion answers OK and deletes nothing: the one public server of
    the interface's ancestor."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        for each in self.store.of(call.owner):
            self.store.remove(each.id)
        return await super().admit(types, call)

    def remove(self, request: DataRequest) -> DataRequest | None:
        return request


@fault("2.1-requestId-unique")
class _OneIdentifierAndDeletionsOfOneRequest(_OneIdentifier):
    """Every creation returns one identifier, and a deletion removes the oldest request that has it."""
