"""Faults of clause 3: requests that cease to exist though no call deleted them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from conformance.calibration.variant import fault
from conformance.reference.call import Call, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_DELETION = "4.3-answers-ok"
_COMPLETED = "3-deletes-completed"


@fault(_DELETION)
class _StoresNothing(Service):
    """The endpoint answers before its storage is connected: a creation answers 200 and nothing is kept."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        return self.new_request(types, call)


@fault(_COMPLETED, _DELETION, complete_after=0.0)
class _HandsOverAtOnceAndForgets(_StoresNothing):
    """Creation returns a completed request, which is stored nowhere."""


@fault(_DELETION)
class _KeepsTheNewestOnly(Service):
    """A user has one record for requests, which a second creation overwrites."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = await super().admit(types, call)
        for each in self.store.all():
            if each.owner == made.owner and each.id != made.id:
                self.store.remove(each.id)
        return made


@fault(_DELETION, "4.2-answers-200")
class _CountsRequestsButFindsNone(Service):
    """Creation and limit use the counter, reading and deletion use the archive, which is filled at night."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.counted: Counter[str] = Counter()

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = await super().admit(types, call)
        self.counted[made.owner] += 1
        self.store.remove(made.id)
        return made

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:  # noqa: ARG002 the counter counts
        return self.counted[request.owner] < self.config.max_requests


@fault(_DELETION)
class _MakesRoomByDroppingTheOldest(Service):
    """The store has as many places as the limit, and a new request takes that of the oldest."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        mine = [each for each in self.store.all() if call.user and each.owner == call.user.name]
        if len(mine) >= self.config.max_requests:
            self.store.remove(mine[0].id)
        return await super().admit(types, call)


@fault(_DELETION, _COMPLETED, complete_after=0.02)
class _DropsWhatIsCompleted(Service):
    """Completed requests leave the table, and deletion looks nowhere else."""

    async def perform(self, call: Call) -> Reply:
        for each in self.store.all():
            if each.completed_at(self.now()) is not None:
                self.store.remove(each.id)
        return await super().perform(call)


@fault(_COMPLETED, _DELETION, complete_after=0.01)
class _ReadingACompletedRequestEndsIt(Service):
    """The result is handed over once: the reading that shows a request completed removes it."""

    def read(self, call: Call) -> Reply:
        request = self.find(call)
        reply = super().read(call)
        if request.completed_at(self.now()) is not None:
            self.store.remove(request.id)
        return reply


@fault("8-limit-enforced")
class _LimitOfMinusOneIsNoLimit(Service):
    """The setting -1 stands for no limit in the product, and is published as it is."""

    def settings(self, call: Call) -> object:
        return super().settings(call) | {"maxNumberOfRequests": -1}

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:  # noqa: ARG002 always
        return True
