"""Twins in which a call completes a request or reopens it: clause 3 names no trigger of a completion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from conformance.calibration.twins.common import (
    AT_ONCE,
    HIDDEN,
    LIMIT_NOT_MET,
    NOT_COMPLETED,
    NOT_IN_PROGRESS,
    UNDECIDED,
    Document,
    closed,
)
from conformance.calibration.twins.limits import InUse, LimitSharedByUsers
from conformance.calibration.variant import twin
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
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


@twin("3", LIMIT_NOT_MET, complete_after=None)
class _CompletesWhenReadTwice(_Counted):
    """The second reading completes a request, as if reading fetched the result."""

    def on_reading(self, request: DataRequest) -> None:
        if self.readings[request.id] >= 2:
            self.over.add(request.id)


@twin("4.2", LIMIT_NOT_MET | NOT_IN_PROGRESS | HIDDEN)
class _CompletesWhenReadAndIsGone(_Counted):
    """The first reading completes a request and shows it in progress; later readings answer 404."""

    readable = False

    def read(self, call: Call) -> Reply:
        reply = super().read(call)
        self.over.add(call.request_id)
        return reply


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


@twin("8", LIMIT_NOT_MET | {"3-deletes-no-other": UNDECIDED, "4.2-answers-200": UNDECIDED})
class _MakesRoomAtTheLimit(_Counted):
    """At the limit, a creation completes and hides the oldest request, which frees a place."""

    readable = False

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        held = [each for each in existing if self.holds_place(each, request.owner)]
        if len(held) >= self.config.max_requests:
            self.over.add(held[0].id)
        return True


@twin("3", LIMIT_NOT_MET)
class _CompletedForAMomentOnly(_Counted):
    """Readings show a request completed and in progress by turns: the specification names no transitions."""

    def on_reading(self, request: DataRequest) -> None:
        (self.over.discard if self.readings[request.id] % 2 else self.over.add)(request.id)


@twin("3", LIMIT_NOT_MET)
class _TakenUpAgainByTheNextReading(_Counted):
    """One reading completes a request, and the next one reopens it: then it counts against the limit."""

    def on_reading(self, request: DataRequest) -> None:
        (self.over.add if self.readings[request.id] % 2 else self.over.discard)(request.id)


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


@twin("3", LIMIT_NOT_MET | NOT_IN_PROGRESS | NOT_COMPLETED | HIDDEN, confirms=())
class _CompletesWhenAnotherIsCreatedBesideOthers(_CompletesWhenAnotherIsCreated, InUse):
    """The same for an account in use: of those of the run the oldest is completed, the other client's stays."""

    def complete(self, request: DataRequest) -> None:
        mine = [each for each in self.store.of(request.owner) if self.now() - each.created_at < timedelta(hours=1)]
        for oldest in mine[:-1][:1]:
            super().complete(oldest)


@twin("3", LIMIT_NOT_MET | NOT_IN_PROGRESS | NOT_COMPLETED)
class _CompletesWhenAnotherIsDeleted(_Completing):
    """A deletion completes the user's next request."""

    def remove(self, request: DataRequest) -> DataRequest | None:
        others = [each for each in self.store.of(request.owner) if each.id != request.id]
        for following in others[:1]:
            self.complete(following)
        return super().remove(request)


@twin("4.2", AT_ONCE | NOT_COMPLETED)
class _GoneWhenReadTwice(_Over):
    """The first reading completes a request and shows it in progress; later readings answer 410."""

    def read(self, call: Call) -> Reply:
        if self.find(call).id in self.over:
            return closed()
        reply = super().read(call)
        self.over.add(call.request_id)
        return reply


@twin("4.2", {"4.2-answers-200": UNDECIDED})
class _RefusedReadingsComplete(_Over):
    """The third reading with a missing or refused token completes and hides a request, as protection against theft."""

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        refused = condition is ErrorCondition.UNAUTHORIZED and call.operation is Action.READ
        if refused and self.turn(f"refused readings of {call.request_id}") >= 2:
            self.over.add(call.request_id)
        return super().refuse(condition, call)

    def read(self, call: Call) -> Reply:
        if self.find(call).id in self.over:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return super().read(call)


@twin("3", LIMIT_NOT_MET | NOT_COMPLETED | NOT_IN_PROGRESS)
class _TakenUpAgainWhenRead(_Over):
    """By turns a reading completes a request after showing it, and reopens it if there is a free place."""

    def document(self, request: DataRequest, call: Call) -> Document:
        return super().document(request, call) | {"isCompleted": request.id in self.over}

    def read(self, call: Call) -> Reply:
        reply = super().read(call)
        request = self.find(call)
        if request.id not in self.over:
            self.over.add(request.id)
        elif self.has_room(self.store.all(), request):
            self.over.remove(request.id)
        return reply


@twin("8", LIMIT_NOT_MET)
class _LimitSharedWithAnUrgentUser(_Over):
    """The limit applies to the organisation. It completes the first user's newest request, to make room for others."""

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        held = [each for each in existing if each.id not in self.over]
        first = [each for each in held if each.owner == self.config.users[0].name != request.owner]
        if len(held) >= self.config.max_requests and first:
            self.over.add(first[-1].id)
            return True
        return len(held) < self.config.max_requests

    def document(self, request: DataRequest, call: Call) -> Document:
        return super().document(request, call) | ({"isCompleted": True} if request.id in self.over else {})


@twin("4.2", LIMIT_NOT_MET | {"4.2-answers-200": UNDECIDED}, completed_readable=False)
class _LimitSharedByUsersAndOneIsOver(LimitSharedByUsers):
    """The limit applies to the organisation. After the first refusal a request is completed, and can no longer be read:
    a request of another user takes its place."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        try:
            return await super().admit(types, call)
        except RefusedError:
            if self.turn("refused") == 0:
                self.complete_request(self.store.of(call.owner)[-1].id)
            raise


@twin("8", LIMIT_NOT_MET, max_requests=2)
class _LimitSharedByUsersAndARefusalCompletes(LimitSharedByUsers):
    """The limit applies to the organisation, and each refusal beyond it makes the organisation complete the oldest."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        try:
            return await super().admit(types, call)
        except RefusedError:
            self.complete_request(self.store.all()[0].id)
            raise
