"""Twins whose requests complete at unusual moments: clause 3 does not say when a request completes."""

from __future__ import annotations

from datetime import timedelta

from conformance.calibration.twins.common import (
    AT_ONCE,
    LIMIT_NOT_MET,
    NOT_IN_PROGRESS,
    Document,
    closed,
)
from conformance.calibration.variant import twin
from conformance.reference.call import Action, Call, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@twin("3", LIMIT_NOT_MET | NOT_IN_PROGRESS, alerts=("3-initial-state",), complete_after=0.0)
class _CompletedBeforeItWasMade(Service):
    """Data gathered in the night complete a request at once, and completedAt is twenty hours before createdAt."""

    def document(self, request: DataRequest, call: Call) -> Document:
        gathered = request.created_at - timedelta(hours=20)
        return super().document(request, call) | {"completedAt": self.timestamp(gathered)}


@twin("4.2", LIMIT_NOT_MET | NOT_IN_PROGRESS, complete_after=0.0)
class _StateIsShownWhenReadOnly(Service):
    """Creation shows every request in progress; reading shows it completed a moment later."""

    def document(self, request: DataRequest, call: Call) -> Document:
        document = super().document(request, call)
        if call.operation is Action.CREATE:
            document["isCompleted"] = False
            del document["completedAt"]
        return document


@twin("4.2", AT_ONCE | {"4.2-answers-while-deleted": ("pass",)}, alerts=("3-initial-state",), complete_after=0.0)
class _CompletedAtOnceReadAsGone(Service):
    """Creation completes a request; reading it answers 410."""

    def read(self, call: Call) -> Reply:
        return closed() if self.find(call).completed_at(self.now()) is not None else super().read(call)


@twin("7", AT_ONCE | {"4.2-answers-while-deleted": ("pass",)}, alerts=("3-initial-state",), complete_after=0.0)
class _CompletedIsNotFoundInOtherWords(Service):
    """Reading a completed request answers 404 with its own words: the row of the table is about what no request has."""

    def read(self, call: Call) -> Reply:
        if self.find(call).completed_at(self.now()) is None:
            return super().read(call)
        return Reply.json({"error": "Completed", "message": "This request is completed."}, 404)
