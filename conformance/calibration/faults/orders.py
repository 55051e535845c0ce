"""Faults that show only after an order of calls which no written sequence makes: generated ones find them.

Whether a seed finds them is a matter of chance; `benchmarks/orders.py` measures the share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from functools import cached_property

from conformance.calibration.faults.common import Remembering
from conformance.calibration.variant import fault
from conformance.reference.call import Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@fault("4.3-answers-ok", "3-deletes-no-other")
class _TwoRefusalsLockTheRequest(Service):
    """A guard against guessing (fail2ban, Rack::Attack) locks a request after two refused readings, also for its owner:
    it can be read but no longer deleted."""

    refused = cached_property(lambda _: Counter[str]())

    def read(self, call: Call) -> Reply:
        request = self.store.get(call.request_id)
        if request is not None and call.user is not None and request.owner != call.user.name:
            self.refused[request.id] += 1
        return super().read(call)

    async def delete(self, call: Call) -> Reply:
        if self.refused[call.request_id] > 1:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return await super().delete(call)


class _Recalling(Remembering, ABC):
    """Shows some deleted requests to their owners."""

    @abstractmethod
    def is_back(self, request_id: str) -> bool:
        """Tell whether a deleted request is shown."""

    def read(self, call: Call) -> Reply:
        """Return the request that the call names, deleted or not."""
        if call.request_id in self.removed and self.is_back(call.request_id):
            request = self.find_removed(call)
            if request.owner == call.owner:
                return Reply.json(self.document(request, call))
        return super().read(call)


@fault("3-removed", max_requests=2)
class _SecondPurgeReplacesTheFirst(_Recalling):
    """Purges of the cache are unique jobs (sidekiq-unique-jobs, on_conflict: replace): of two deletions in a row only
    the second is purged, until a creation empties the cache."""

    waiting = cached_property(lambda _: list[str]())

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.waiting.append(request.id)
        return super().remove(request)

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = await super().admit(types, call)
        self.waiting.clear()
        return made

    def is_back(self, request_id: str) -> bool:
        return request_id in self.waiting[:-1]


@fault("3-removed", max_requests=1)
class _ReusedRowShowsTheDeleted(_Recalling):
    """SQLite gives the number of the last deleted row again. Each user has a cache from identifiers to row numbers,
    which only the user's own creations clear: after another user's creation the deleted request is found."""

    freed = cached_property(lambda _: list[DataRequest]())
    taken = cached_property(lambda _: dict[str, str]())

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.freed.append(request)
        return super().remove(request)

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = await super().admit(types, call)
        if self.freed and (before := self.freed.pop()).owner != made.owner:
            self.taken[before.id] = made.id
        return made

    def is_back(self, request_id: str) -> bool:
        return self.store.get(self.taken.get(request_id, "")) is not None
