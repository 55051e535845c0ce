"""Faults of clauses 3 and 4.6: requests that disappear without a deletion, or survive one once they are completed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from conformance.calibration.variant import fault
from conformance.model.target import Budget
from conformance.reference.call import Call, ErrorCondition, RefusedError
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_DELETION = "4.3-answers-ok"


@fault(_DELETION, source="4.1, paragraph 1")
class _StoresNothing(Service):
    """The endpoint answers before its storage is connected: a creation answers 200 and stores nothing."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        return self.new_request(types, call)


_WAITING: Final = {"budget": Budget(await_completion=2.0)}
_AFTER: Final = 1.0


@fault("8-completed-do-not-count", complete_after=_AFTER, run=_WAITING, source="8, table, row 1, Limit")
class _CompletedLateStillCount(Service):
    """All stored requests count, including those that completed after a second."""

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return sum(each.owner == request.owner for each in existing) < self.config.max_requests


@fault("3-removed", "2.1-requestId-unique", source="3, table 2, row 1, Also")
class _OneIdentifierAndDeletionsWithoutEffect(Service):
    """Every creation returns one identifier, and a deletion answers OK and deletes nothing: the one public server of
    the interface's ancestor."""

    _ID = "0b3d7c1e-5a4f-4c62-9e41-7a8d2b6c0f13"

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        return super().document(request, call) | {"requestId": self._ID}

    def find(self, call: Call) -> DataRequest:
        mine = self.store.of(call.owner) if call.request_id == self._ID else []
        if not mine:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return mine[0]

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        for each in self.store.of(call.owner):
            self.store.remove(each.id)
        return await super().admit(types, call)

    def remove(self, request: DataRequest) -> DataRequest | None:
        return request
