"""Twins in which a call completes a request or reopens it: clause 3 names no trigger of a completion."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from functools import cached_property
from typing import Any

from conformance.calibration.twins.common import (
    HIDDEN,
    LIMIT_NOT_MET,
    NOT_COMPLETED,
    NOT_IN_PROGRESS,
    Document,
)
from conformance.calibration.variant import twin
from conformance.reference.call import Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


class _Over(Service):
    """Keeps the identifiers of completed requests in `over`."""

    over = cached_property(lambda _: set[str]())

    def holds_place(self, request: DataRequest, owner: str) -> bool:
        return request.owner == owner and request.id not in self.over


class _Counted(_Over):
    """Counts the readings of each request."""

    readable = True
    readings = cached_property(lambda _: Counter[str]())

    def document(self, request: DataRequest, call: Call) -> Document:
        document = super().document(request, call)
        if request.id in self.over:
            document |= {"isCompleted": True, "completedAt": self.timestamp(request.created_at)}
        return document

    def read(self, call: Call) -> Reply:
        request = self.find(call)
        self.readings[request.id] += 1
        self.on_reading(request)
        if request.id in self.over and not self.readable:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return super().read(call)

    def on_reading(self, request: DataRequest) -> None:
        """Note the reading of a request."""


@twin("4.2", LIMIT_NOT_MET)
class _CompletedIsShownOnce(_Counted):
    """The first reading completes a request and shows it completed; later readings answer 404, as after a download."""

    def read(self, call: Call) -> Reply:
        if call.request_id in self.over:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return super().read(call)

    def on_reading(self, request: DataRequest) -> None:
        self.over.add(request.id)


@twin("3", LIMIT_NOT_MET)
class _TheNextRequestCompletesTheOneBefore(_Counted):
    """The service works on the newest request of a user only; a new request completes the earlier ones."""

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = super().new_request(types, call)
        self.over |= {each.id for each in self.store.of(made.owner)}
        return made


class _Completing(Service):
    """Keeps which requests are completed."""

    done = cached_property(lambda _: dict[str, datetime]())

    def complete(self, request: DataRequest) -> None:
        """Complete a request once."""
        self.done.setdefault(request.id, self.now())

    def holds_place(self, request: DataRequest, owner: str) -> bool:
        return super().holds_place(request, owner) and request.id not in self.done

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        shown = super().document(request, call)
        moment = self.done.get(request.id)
        return shown if moment is None else shown | {"isCompleted": True, "completedAt": self.timestamp(moment)}


@twin("3", LIMIT_NOT_MET | NOT_IN_PROGRESS | NOT_COMPLETED)
class _CompletesWhenRead(_Completing):
    """Any reading completes a request."""

    def read(self, call: Call) -> Reply:
        self.complete(self.find(call))
        return super().read(call)


@twin("3", LIMIT_NOT_MET | NOT_IN_PROGRESS | NOT_COMPLETED | HIDDEN)
class _CompletesWhenAnotherIsCreated(_Completing):
    """A creation completes the user's oldest request, which can then be deleted but not read."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = await super().admit(types, call)
        for oldest in [each for each in self.store.of(made.owner) if each.id != made.id][:1]:
            self.complete(oldest)
        return made

    def read(self, call: Call) -> Reply:
        if self.find(call).id in self.done:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return super().read(call)
