"""Faults that show only in calls of two users, some of them only at the same time."""

from __future__ import annotations

import asyncio

from conformance.calibration.faults.common import Remembering
from conformance.calibration.variant import fault
from conformance.reference.call import TEXT, Call, Reply
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


@fault("3-removed")
class _DeletionByAnotherIsConfirmedOnly(Service):
    """A deletion looks the request up by its identifier, and then removes the row of that identifier and that user."""

    async def delete(self, call: Call) -> Reply:
        found = self.store.get(call.request_id)
        if found is not None and found.owner != call.owner:
            return Reply(200, b"OK", {"content-type": TEXT})
        return await super().delete(call)


@fault("3-removed")
class _DeletedRequestsOfOthersAreForbidden(Remembering):
    """Requests are marked as deleted, and the owner is compared before the mark: 403 to all others."""

    async def perform(self, call: Call) -> Reply:
        removed = self.removed.get(call.request_id)
        user = self.authenticate(call)
        if removed and user is not None and removed[0].owner != user.name:
            return Reply.json({"error": "Forbidden", "message": "This is not your data request."}, 403)
        return await super().perform(call)
