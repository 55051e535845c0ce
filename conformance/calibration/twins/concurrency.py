"""Twins whose requests complete at unusual moments, or that treat simultaneous calls in their own way (3, 8)."""

from __future__ import annotations

import asyncio
from typing import Any

from conformance.calibration import sources
from conformance.calibration.twins.common import (
    LIMIT_NOT_MET,
    NOT_IN_PROGRESS,
)
from conformance.calibration.variant import twin
from conformance.reference.call import TEXT, Action, Call, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@twin("4.2", LIMIT_NOT_MET | NOT_IN_PROGRESS, complete_after=0.0, source="3, paragraph 2", of="document")
def state_is_shown_when_read_only(_service: Service, document: Any, _request: DataRequest, call: Call) -> Any:
    """Creation shows every request in progress; reading shows it completed a moment later."""
    if call.operation is Action.CREATE:
        document["isCompleted"] = False
        del document["completedAt"]
    return document


_PAUSE = 0.01
"""Seconds that a database takes between two statements."""


@twin("3", source=sources.POSTGRESQL_COMMIT)
class _EveryDeletionOfSeveralIsConfirmed(Service):
    """Each simultaneous deletion that found the request answers OK, even if another one removed it first."""

    async def delete(self, call: Call) -> Reply:
        request = self.find(call)
        await asyncio.sleep(_PAUSE)
        self.remove(request)
        return Reply(200, b"OK", {"content-type": TEXT})


@twin("3", source=sources.KUBERNETES_FINALIZERS)
class _ReadUntilTheDeletionIsDone(Service):
    """A deletion takes time, and until its end readings show the request unchanged."""

    async def delete(self, call: Call) -> Reply:
        self.find(call)
        await asyncio.sleep(_PAUSE)
        return await super().delete(call)


@twin("3", source=sources.KUBERNETES_FINALIZERS)
class _HiddenWhileBeingDeleted(Service):
    """A deletion hides the request at once, and answers when all its parts are removed."""

    async def delete(self, call: Call) -> Reply:
        reply = await super().delete(call)
        await asyncio.sleep(_PAUSE)
        return reply
