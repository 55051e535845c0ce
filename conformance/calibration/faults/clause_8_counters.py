"""Faults of clauses 2.1, 4.1 and 8: counters kept apart from the requests; creations that store none or two."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.calibration.faults.common import LIMIT_REACHED
from conformance.calibration.sources import MONGODB_SECONDARIES, NGINX_RETRIES, REDIS_INCR
from conformance.calibration.variant import fault
from conformance.reference.call import Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_NOTHING = "4.1-refused-creates-nothing"
_ENFORCED = "8-limit-enforced"
_PARALLEL = "8-limit-enforced-in-parallel"
_UP_TO = "8-accepts-up-to-limit"
_PLACES = (_UP_TO, "3-frees-the-limit")


class _Counter(Service):
    """Keeps a count of places apart from the requests, which a completion does not lower."""

    taken = 0

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        if self.taken >= self.config.max_requests:
            raise RefusedError(ErrorCondition.LIMIT)
        self.taken += 1
        request = self.new_request(types, call)
        self.store.add(request)
        return request

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.taken -= 1
        return super().remove(request)


@fault(
    _ENFORCED,
    _PARALLEL,
    "3-frees-the-limit-in-parallel",
    *LIMIT_REACHED,
    "8-completed-do-not-count",
    "8-accepts-up-to-limit",
    source="3, table 2, row 1, Also",
)
class _CounterLoweredByEveryDeletion(_Counter):
    """Every deletion lowers the counter, including one that finds nothing."""

    async def delete(self, call: Call) -> Reply:
        try:
            return await super().delete(call)
        except RefusedError:
            self.taken -= 1
            raise


@fault(_NOTHING, *_PLACES, "8-completed-do-not-count", source=REDIS_INCR)
class _CounterRaisedByRefusals(_Counter):
    """The service raises the counter before it compares it, and does not lower it when it refuses the creation."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        try:
            return await super().admit(types, call)
        except RefusedError:
            self.taken += 1
            raise


@fault(_UP_TO, *LIMIT_REACHED, "3-frees-the-limit", source=NGINX_RETRIES)
class _CreationMakesTwo(Service):
    """A gateway repeats slow calls: each creation makes a second request, which no answer shows."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = await super().admit(types, call)
        self.store.add(self.new_request(types, call))
        return made


@fault(
    "2.1-requestId-unique",
    _ENFORCED,
    _PARALLEL,
    *LIMIT_REACHED,
    "3-removed",
    "4.3-answers-ok",
    "3-deletes-no-other",
    source="4.1, paragraph 1",
)
class _SameTypesGiveTheRequestThereIs(Service):
    """The service takes a creation for the same types for a repetition and returns the existing request."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        same = [each for each in self.store.of(call.owner) if each.types == types]
        return same[0] if same else await super().admit(types, call)


@fault(_ENFORCED, _PARALLEL, *LIMIT_REACHED, source=MONGODB_SECONDARIES)
class _CountIsOneCallBehind(Service):
    """The count comes from a replica that does not have the previous creation yet."""

    created: str | None = None
    unseen: str | None = None

    async def perform(self, call: Call) -> Reply:
        self.unseen, self.created = self.created, None
        return await super().perform(call)

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = await super().admit(types, call)
        self.created = request.id
        return request

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return super().has_room([each for each in existing if each.id != self.unseen], request)
