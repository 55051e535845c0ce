"""Twins with their own treatment of simultaneous calls: the specification states only the limit for these (8)."""

from __future__ import annotations

import asyncio

from conformance.calibration.operators import Busy
from conformance.calibration.variant import twin
from conformance.reference.call import TEXT, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_PAUSE = 0.01
"""Seconds that a database takes between two statements."""


@twin("3")
class _EveryDeletionOfSeveralIsConfirmed(Service):
    """Each simultaneous deletion that found the request answers OK, even if another one removed it first."""

    async def delete(self, call: Call) -> Reply:
        request = self.find(call)
        await asyncio.sleep(_PAUSE)
        self.remove(request)
        return Reply(200, b"OK", {"content-type": TEXT})


@twin("3")
class _ReadUntilTheDeletionIsDone(Service):
    """A deletion takes time, and until its end readings show the request unchanged."""

    async def delete(self, call: Call) -> Reply:
        self.find(call)
        await asyncio.sleep(_PAUSE)
        return await super().delete(call)


@twin("3")
class _HiddenWhileBeingDeleted(Service):
    """A deletion hides the request at once, and answers when all its parts are removed."""

    async def delete(self, call: Call) -> Reply:
        reply = await super().delete(call)
        await asyncio.sleep(_PAUSE)
        return reply


@twin("8")
class _PlacesReservedBeforehand(Busy):
    """A creation reserves a place before it checks the limit: of several simultaneous creations, all may be refused."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        with self.under_way("creation"):
            await asyncio.sleep(_PAUSE)
            asking = self.at("creation")
            request = self.new_request(types, call)
            held = sum(self.holds_place(each, request.owner) for each in self.store.all())
            if held + asking > self.config.max_requests:
                raise RefusedError(ErrorCondition.LIMIT)
            await asyncio.sleep(_PAUSE)
            if not self.store.add(request, lambda existing: self.has_room(existing, request)):
                raise RefusedError(ErrorCondition.LIMIT)
        return request


@twin("3")
class _LastCallServedFirst(Busy):
    """Simultaneous calls overtake one another: the first waits longest."""

    async def perform(self, call: Call) -> Reply:
        with self.under_way("call"):
            await asyncio.sleep(_PAUSE / max(1, self.at("call")))
            return await super().perform(call)
