"""Twins that answer otherwise than with 404 who reads what is completed: 4.2 reads what is in progress only."""

from __future__ import annotations

import json

from conformance.calibration.twins.common import HIDDEN, LIMIT_NOT_MET, NOT_COMPLETED, NOT_IN_PROGRESS, UNDECIDED
from conformance.calibration.variant import twin
from conformance.reference.call import JSON, Call, Operation, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


class _Closed(Service):
    """Reads nothing that is completed, with `status`."""

    status = 410

    def read(self, call: Call) -> Reply:
        if self.find(call).completed_at(self.now()) is not None:
            return self.closed()
        return super().read(call)

    def closed(self) -> Reply:
        """Return the answer to who reads what is completed."""
        body = {"error": "Closed", "message": "This request is completed."}
        return Reply(self.status, json.dumps(body).encode(), {"content-type": JSON})


class _Kept(_Closed):
    """Keeps by identifier what is completed."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.over: set[str] = set()

    def holds_place(self, request: DataRequest, owner: str) -> bool:
        return request.owner == owner and request.id not in self.over


_AT_ONCE = LIMIT_NOT_MET | NOT_IN_PROGRESS | HIDDEN | {"4.2-answers-while-deleted": UNDECIDED}


@twin("4.2", _AT_ONCE, complete_after=0.0)
class _CompletedAtOnceReadAsGone(_Closed):
    """Requests are completed when they are created; reading one is answered 410."""


@twin("4.2", _AT_ONCE, complete_after=0.0)
class _CompletedAtOnceReadAsConflict(_Closed):
    """The same with 409."""

    status = 409


@twin("4.2", _AT_ONCE | NOT_COMPLETED)
class _GoneWhenReadTwice(_Kept):
    """A request is completed by the first reading, which shows it in progress; later ones are answered 410."""

    def read(self, call: Call) -> Reply:
        if self.find(call).id in self.over:
            return self.closed()
        reply = super().read(call)
        self.over.add(call.request_id)
        return reply


@twin("4.2", {"4.2-answers-200": UNDECIDED})
class _RefusedReadingsComplete(_Kept):
    """A request is completed and hidden by the third reading in which the token is missing or refused, as if stolen."""

    def refuse(self, condition: Condition, call: Call) -> Reply:
        refused = condition is Condition.UNAUTHORIZED and call.operation is Operation.READ
        if refused and self.turn(f"refused readings of {call.request_id}") >= 2:
            self.over.add(call.request_id)
        return super().refuse(condition, call)

    def read(self, call: Call) -> Reply:
        if self.find(call).id in self.over:
            raise RefusedError(Condition.NO_REQUEST)
        return super().read(call)
