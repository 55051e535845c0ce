"""Twins that treat calls at the same time in a way of their own: only the limit is stated of them (8)."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from conformance.calibration.variant import twin
from conformance.reference.call import TEXT, Call, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.errors import ErrorCondition, RefusedError
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_PAUSE = 0.01
"""Seconds that a database takes between two statements."""


class _Slow(Service):
    """Knows which calls of a kind are under way."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.under_way: Counter[str] = Counter()
        self.guard = threading.Lock()

    @contextmanager
    def begun(self, what: str) -> Iterator[None]:
        """Count a call of the kind `what` while it lasts."""
        with self.guard:
            self.under_way[what] += 1
        try:
            yield
        finally:
            with self.guard:
                self.under_way[what] -= 1


@twin("3")
class _EveryDeletionOfSeveralIsConfirmed(Service):
    """Whoever found the request is told OK, also when another removed it a moment before."""

    async def delete(self, call: Call) -> Reply:
        request = self.find(call)
        await asyncio.sleep(_PAUSE)
        self.remove(request)
        return Reply(200, b"OK", {"content-type": TEXT})


@twin("3")
class _ReadUntilTheDeletionIsDone(Service):
    """A deletion takes its time, and until it is done the request can be read as it was."""

    async def delete(self, call: Call) -> Reply:
        self.find(call)
        await asyncio.sleep(_PAUSE)
        return await super().delete(call)


@twin("3")
class _HiddenWhileBeingDeleted(Service):
    """A deletion hides the request at once, and answers when everything that belongs to it is gone."""

    async def delete(self, call: Call) -> Reply:
        reply = await super().delete(call)
        await asyncio.sleep(_PAUSE)
        return reply


@twin("8")
class _PlacesReservedBeforehand(_Slow):
    """A place is reserved before it is known to be free: where many ask for one at the same time, nobody may get it."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        with self.begun("creation"):
            await asyncio.sleep(_PAUSE)
            asking = self.under_way["creation"]
            request = self.new_request(types, call)
            held = sum(self.holds_place(each, request.owner) for each in self.store.all())
            if held + asking > self.config.max_requests:
                raise RefusedError(ErrorCondition.LIMIT)
            await asyncio.sleep(_PAUSE)
            if not self.store.add(request, lambda existing: self.has_room(existing, request)):
                raise RefusedError(ErrorCondition.LIMIT)
        return request


@twin("3")
class _LastCallServedFirst(_Slow):
    """Calls that come together overtake one another: whoever came first waits longest."""

    async def perform(self, call: Call) -> Reply:
        with self.begun("call"):
            await asyncio.sleep(_PAUSE / max(1, self.under_way["call"]))
            return await super().perform(call)
