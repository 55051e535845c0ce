"""Twins whose requests complete at unusual moments: clause 3 does not say when a request completes."""

from __future__ import annotations

from conformance.calibration.twins.common import (
    LIMIT_NOT_MET,
    NOT_IN_PROGRESS,
    Document,
)
from conformance.calibration.variant import twin
from conformance.reference.call import Action, Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@twin("4.2", LIMIT_NOT_MET | NOT_IN_PROGRESS, complete_after=0.0, source="3, paragraph 2")
class _StateIsShownWhenReadOnly(Service):
    """Creation shows every request in progress; reading shows it completed a moment later."""

    def document(self, request: DataRequest, call: Call) -> Document:
        document = super().document(request, call)
        if call.operation is Action.CREATE:
            document["isCompleted"] = False
            del document["completedAt"]
        return document
