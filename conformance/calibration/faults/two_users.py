"""Faults that show only in calls of two users at the same time."""

from __future__ import annotations

import asyncio

from conformance.calibration.variant import fault
from conformance.reference.call import Call, Reply
from conformance.reference.config import User
from conformance.reference.service import Service

_PAUSE = 0.003
"""Seconds that a database takes to find out whether there is room."""


@fault("4.1-creates-in-parallel", "4.3-answers-ok")
class _UserInAGlobalVariable(Service):
    """The user of a creation is kept in a global variable, which a creation of another user overwrites meanwhile."""

    current: User | None = None

    async def create(self, call: Call) -> Reply:
        self.current = call.user
        await asyncio.sleep(_PAUSE)
        call.user = self.current
        return await super().create(call)
