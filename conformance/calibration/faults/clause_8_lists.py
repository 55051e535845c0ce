"""Faults of clause 8 that hang on how many types are asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from conformance.calibration.variant import fault
from conformance.reference.call import Call, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_ENFORCED = "8-limit-enforced"
_PARALLEL = "8-limit-enforced-in-parallel"


@fault(_ENFORCED, _PARALLEL)
class _SeveralTypesGoInBatches(Service):
    """A list of several types goes the way of batches, on which nobody counts."""

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return len(request.types) in range(2, len(self.types)) or super().has_room(existing, request)


@fault(_ENFORCED, _PARALLEL)
class _SeveralTypesTakeNoPlace(Service):
    """The query that counts requests joins those of one type only."""

    def holds_place(self, request: DataRequest, owner: str) -> bool:
        return super().holds_place(request, owner) and len(request.types) == 1


@fault(_ENFORCED, _PARALLEL)
class _AllTypesTakeNoPlace(Service):
    """What is asked for without a list is kept in another table, which is not counted."""

    def holds_place(self, request: DataRequest, owner: str) -> bool:
        return super().holds_place(request, owner) and len(request.types) < len(self.types)


@fault(_PARALLEL)
class _LocksByTypes(Service):
    """Creations wait for one another where they are for the same types; others count what is there at the same time."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self._locked: set[tuple[str, ...]] = set()

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = self.new_request(types, call)
        while types in self._locked:
            await asyncio.sleep(0.01)
        self._locked.add(types)
        try:
            room = self.has_room(self.store.all(), request)
            await asyncio.sleep(0.05)
            if not room:
                raise RefusedError(Condition.LIMIT)
            self.store.add(request)
        finally:
            self._locked.discard(types)
        return request


@fault("4.1-answers-200", "4.1-requested-types")
class _SeveralTypesAreBadRequests(Service):
    """The schema of the body has room for one element, and validation knows one word for whatever it refuses."""

    async def create(self, call: Call) -> Reply:
        if len(self.wanted_types(call)) > 1 and call.body:
            return Reply.json({"error": "Bad Request", "message": "Validation failed."}, 400)
        return await super().create(call)
