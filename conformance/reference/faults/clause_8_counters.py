"""Faults of clauses 2.1, 4.1 and 8: counters beside the requests, and creations that make none or two."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from conformance.reference.bend import fault
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_NOTHING = "4.1-refused-creates-nothing"
_ENFORCED = "8-limit-enforced"
_PARALLEL = "8-limit-enforced-in-parallel"
_UP_TO = "8-accepts-up-to-limit"
_PLACES = (_UP_TO, "3-frees-the-limit")
_REACHED = ("7-limit-reached", "7-limit-reached-error", "7-limit-reached-message")
_NIL = "00000000-0000-0000-0000-000000000000"


class _Counter(Service):
    """Counts places by itself, beside the requests."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.taken = 0

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        if self.taken >= self.config.max_requests:
            raise RefusedError(Condition.LIMIT)
        self.taken += 1
        request = self.new_request(types, call)
        self.store.add(request)
        return request

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.taken -= 1
        return super().remove(request)


@fault(_ENFORCED, _PARALLEL, *_REACHED)
class _CounterLoweredByEveryDeletion(_Counter):
    """A counter of places is lowered by every deletion, also by one that finds nothing."""

    async def delete(self, call: Call) -> Reply:
        try:
            return await super().delete(call)
        except RefusedError:
            self.taken -= 1
            raise


@fault(_NOTHING, *_PLACES)
class _CounterRaisedByRefusals(_Counter):
    """A counter of places is raised before it is compared, and not lowered again when the creation is refused."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        try:
            return await super().admit(types, call)
        except RefusedError:
            self.taken += 1
            raise


@fault(_NOTHING, *_PLACES)
class _MalformedBodyUsesAPlace(Service):
    """A place is taken before the body is parsed, and kept when it cannot be."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        try:
            json.loads(call.body or b"[]")
        except ValueError:
            self.store.add(self.new_request((), call))
        return super().wanted_types(call)


@fault(_UP_TO, *_REACHED, "3-frees-the-limit")
class _CreationMakesTwo(Service):
    """A gateway repeats what took it too long: every creation makes a second request, of which nobody is told."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = await super().admit(types, call)
        self.store.add(self.new_request(types, call))
        return made


@fault("2.1-requestId-unique", _ENFORCED, _PARALLEL, *_REACHED, "3-removed", "4.3-answers-ok", "3-deletes-no-other")
class _SameTypesGiveTheRequestThereIs(Service):
    """A creation for the same types is taken for a repetition, and answered with the request that there is."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        owner = call.user.name if call.user else ""
        same = [each for each in self.store.all() if each.owner == owner and each.types == types]
        return same[0] if same else await super().admit(types, call)


@fault(
    "2.1-requestId-unique",
    "2.1-requestId-version",
    "2.1-requestId-random",
    "2.1-requestId-not-incremental",
    "4.2-answers-200",
    "4.3-answers-ok",
)
class _CreationShowsTheNilIdentifier(Service):
    """The object is shown before it has an identifier, whose default is all zeros."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        document = super().document(request, call)
        return document | {"requestId": _NIL} if call.operation is Operation.CREATE else document


@fault(_PARALLEL)
class _LimitCountedInASnapshot(Service):
    """Each creation counts in a transaction of its own, which does not see what others are about to insert."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = self.new_request(types, call)
        snapshot = self.store.all()
        await asyncio.sleep(0.01)
        if not self.has_room(snapshot, request):
            raise RefusedError(Condition.LIMIT)
        self.store.add(request)
        return request
