"""Twins whose requests complete at unusual moments: clause 3 does not say when a request completes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from conformance.calibration.twins.common import (
    AT_ONCE,
    HIDDEN,
    LIMIT_NOT_MET,
    NOT_IN_PROGRESS,
    Document,
    closed,
)
from conformance.calibration.variant import twin
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@twin("3", LIMIT_NOT_MET | NOT_IN_PROGRESS)
class _CompletionVariesWithTheRequest(Service):
    """Every third request completes at once, every third after five milliseconds, the others never."""

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = super().new_request(types, call)
        after = (None, 0.0, 0.005)[self.turn("requests") % 3]
        return DataRequest(made.id, made.owner, made.created_at, made.types, after)


@twin("4.2", LIMIT_NOT_MET | NOT_IN_PROGRESS | HIDDEN)
class _CompletionVariesAndHides(_CompletionVariesWithTheRequest):
    """The same, but reading a completed request answers 404."""

    def read(self, call: Call) -> Reply:
        if self.find(call).completed_at(self.now()) is not None:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return super().read(call)


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


@twin("3")
class _RequestsForOneTypeCompleteAtOnce(Service):
    """Requests for one type complete at once, larger ones stay in progress."""

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = super().new_request(types, call)
        return request if len(types) > 1 else replace(request, complete_after=0.0)


@twin("3")
class _RequestsForTheLastTypeStayInProgress(Service):
    """Requests complete at once unless they name the last type, and are accepted at the limit then."""

    def is_slow(self, types: tuple[str, ...]) -> bool:
        return self.config.types[-1].type in types

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = super().new_request(types, call)
        return request if self.is_slow(types) else replace(request, complete_after=0.0)

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return not self.is_slow(request.types) or super().has_room(existing, request)
