"""Faults that show only when calls come at the same time: clauses 2.1, 3, 4.1, 4.2 and 8."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from conformance.calibration.variant import fault
from conformance.reference.call import TEXT, Action, Call, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.errors import ErrorCondition, RefusedError
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_REMOVED = "3-removed-in-parallel"
_FREES = "3-frees-the-limit-in-parallel"
_CRASH = "0-server-errors"
_CREATES = "4.1-creates-in-parallel"
_WHILE = "4.2-answers-while-deleted"
_LIMIT = "8-limit-enforced-in-parallel"
_UNIQUE = "2.1-requestId-unique"

_PAUSE = 0.05
"""Seconds that a database takes between two statements."""


class _Busy(Service):
    """Knows what is under way, as a service does whose calls last a while."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self._under_way: Counter[str] = Counter()
        self._guard = threading.Lock()

    @contextmanager
    def under_way(self, what: str) -> Iterator[int]:
        """Yield how many others are at `what`."""
        with self._guard:
            others = self._under_way[what]
            self._under_way[what] += 1
        try:
            yield others
        finally:
            with self._guard:
                self._under_way[what] -= 1

    def at(self, what: str) -> int:
        """Return how many are at `what`."""
        return self._under_way[what]


# ---------------------------------------------------------------------- deletions of one request


class _Deleting(_Busy):
    """Looks the request up, waits for the database, and removes it."""

    async def delete(self, call: Call) -> Reply:
        request = self.find(call)
        with self.under_way(request.id) as others:
            await asyncio.sleep(_PAUSE)
            return await self.removed(request, others)

    async def removed(self, request: DataRequest, others: int) -> Reply:  # noqa: ARG002 variants override it
        """Remove the request, which so many other deletions are at, and return the answer."""
        if self.remove(request) is None:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return Reply(200, b"OK", {"content-type": TEXT})


@fault(_REMOVED, _CRASH)
class _SecondDeletionCrashes(_Deleting):
    """Whoever comes second removes a row that is gone, and nobody handles that."""

    async def removed(self, request: DataRequest, others: int) -> Reply:
        if self.store.get(request.id) is None:
            error = "Row was updated or deleted by another transaction"
            return Reply.json({"error": "Internal Server Error", "message": error}, 500)
        return await super().removed(request, others)


@fault(_REMOVED)
class _SecondDeletionConflicts(_Deleting):
    """A version column: whoever comes second is told of a conflict."""

    async def removed(self, request: DataRequest, others: int) -> Reply:
        if self.store.get(request.id) is None:
            return Reply.json({"error": "Conflict", "message": "The request was changed meanwhile."}, 409)
        return await super().removed(request, others)


@fault(_REMOVED)
class _SecondDeletionAnswersNothing(_Deleting):
    """Whoever comes second gets 200 without the OK: the handler returns what the database removed, which is nothing."""

    async def removed(self, request: DataRequest, others: int) -> Reply:
        return await super().removed(request, others) if self.store.get(request.id) else Reply(200)


@fault(_REMOVED)
class _NoDeletionOfSeveralIsConfirmed(_Deleting):
    """Each deletion looks for the row once more after removing it; of several, each finds that another has done it."""

    async def removed(self, request: DataRequest, others: int) -> Reply:
        contested = others or self.at(request.id) > 1
        reply = await super().removed(request, others)
        if contested:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return reply


@fault(_REMOVED, _FREES)
class _SecondDeletionBringsItBack(_Deleting):
    """DELETE turns a flag over: twice, and the request is there again."""

    async def removed(self, request: DataRequest, others: int) -> Reply:  # noqa: ARG002 whoever else is there
        if self.remove(request) is None:
            self.store.add(request)
        return Reply(200, b"OK", {"content-type": TEXT})


@fault(_REMOVED, _FREES)
class _ReadingPutsItBackIntoTheCache(_Deleting):
    """Reads are answered from a cache: one that began before a deletion writes its row there after it."""

    cache = cached_property(lambda _: dict[str, DataRequest]())

    def read(self, call: Call) -> Reply:
        if call.request_id in self.cache and call.user and self.cache[call.request_id].owner == call.user.name:
            return Reply.json(self.document(self.cache[call.request_id], call))
        request = self.find(call)
        if self.at(request.id):
            self.cache[request.id] = request
        return super().read(call)


# ---------------------------------------------------------------------- the place that they free


class _Counting(_Deleting):
    """Keeps a counter for each user instead of counting rows."""

    held = cached_property(lambda _: Counter[str]())

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = self.new_request(types, call)
        with self._guard:
            if self.held[request.owner] >= self.config.max_requests:
                raise RefusedError(ErrorCondition.LIMIT)
            self.held[request.owner] += 1
        self.store.add(request)
        return request


@fault(_FREES, _LIMIT, "8-limit-enforced")
class _EachDeletionFreesOnePlace(_Counting):
    """The counter goes down for every deletion that found the request, whether or not it removed it."""

    async def removed(self, request: DataRequest, others: int) -> Reply:
        with self._guard:
            self.held[request.owner] -= 1
        return await super().removed(request, others)


@fault(_FREES, _LIMIT, "8-accepts-up-to-limit")
class _ContestedDeletionFreesNoPlace(_Counting):
    """The counter is changed with a version check, and what a conflict leaves undone stays undone."""

    async def removed(self, request: DataRequest, others: int) -> Reply:
        contested = others or self.at(request.id) > 1
        reply = await super().removed(request, others)
        if not contested:
            with self._guard:
                self.held[request.owner] -= 1
        return reply


# ---------------------------------------------------------------------- reading meanwhile


class _InTwoSteps(_Busy):
    """Deletes what belongs to a request first, and the request itself a moment later."""

    async def delete(self, call: Call) -> Reply:
        request = self.find(call)
        with self.under_way(request.id):
            await asyncio.sleep(_PAUSE)
            return await super().delete(call)


@fault(_WHILE)
class _ReadWithoutTypesWhileDeleted(_InTwoSteps):
    """The rows of the types go first: a reader in between sees a request for nothing."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        document = super().document(request, call)
        return document | {"dataRequested": []} if self.at(request.id) else document


@fault(_WHILE)
class _ReadAsStubWhileDeleted(_InTwoSteps):
    """What is about to be erased is anonymised first: a reader in between sees a stub."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        document = super().document(request, call)
        names = ("requestId", "isCompleted")
        return {name: document[name] for name in names} if self.at(request.id) else document


@fault(_WHILE, _CRASH)
class _ReadFailsWhileDeleted(_InTwoSteps):
    """A reader in between follows a reference to a row that is gone."""

    def read(self, call: Call) -> Reply:
        if self.at(self.find(call).id):
            return Reply.json({"error": "Internal Server Error", "message": "NoneType has no attribute types"}, 500)
        return super().read(call)


@fault(_WHILE)
class _LockedWhileDeleted(_InTwoSteps):
    """Whoever reads what is being deleted is told that it is locked."""

    def read(self, call: Call) -> Reply:
        if self.at(self.find(call).id):
            return Reply.json({"error": "Locked", "message": "The request is being deleted."}, 423)
        return super().read(call)


# ---------------------------------------------------------------------- creations


class _Creating(_Busy):
    """Makes the request, and the answer a moment later."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        with self.under_way(call.user.name if call.user else "") as others:
            return await self.admitted(types, call, others)

    async def admitted(self, types: tuple[str, ...], call: Call, others: int) -> DataRequest:  # noqa: ARG002 variants override it
        """Return the new request; so many other creations of the user are under way."""
        request = await self.stored(types, call)
        await asyncio.sleep(_PAUSE)
        return request

    async def stored(self, types: tuple[str, ...], call: Call) -> DataRequest:
        """Count and insert, as the reference does."""
        return await Service.admit(self, types, call)


@fault(_CREATES, _UNIQUE, _WHILE)
class _EqualCreationsAreMerged(_Creating):
    """A guard against double clicks: an equal creation that is under way is joined, not made again."""

    latest: DataRequest | None = None

    async def admitted(self, types: tuple[str, ...], call: Call, others: int) -> DataRequest:
        if others and self.latest and self.latest.types == types and self.store.get(self.latest.id):
            await asyncio.sleep(_PAUSE)
            return self.latest
        self.latest = request = await self.stored(types, call)
        await asyncio.sleep(_PAUSE)
        return request


@fault(_CREATES, _CRASH, "4.1-answers-200")
class _SecondCreationCrashes(_Creating):
    """Two transactions wait for each other, and the database ends one of them."""

    async def create(self, call: Call) -> Reply:
        if self.at(call.user.name if call.user else ""):
            return Reply.json({"error": "Internal Server Error", "message": "deadlock detected"}, 500)
        return await super().create(call)


@fault(_CREATES)
class _SecondCreationIsTooMany(_Creating):
    """Whoever finds the user's lock taken is refused as if the limit were reached."""

    async def admitted(self, types: tuple[str, ...], call: Call, others: int) -> DataRequest:
        if others:
            raise RefusedError(ErrorCondition.LIMIT)
        return await super().admitted(types, call, others)


@fault(_CREATES, _LIMIT, "4.2-answers-200")
class _LastCreationWins(_Creating):
    """The user's requests are one document, read, changed and written back: what another wrote meanwhile is lost."""

    async def admitted(self, types: tuple[str, ...], call: Call, others: int) -> DataRequest:
        request = await super().admitted(types, call, others)
        if self.at(request.owner) > 1:
            self.store.remove(request.id)
        return request


@fault(_CREATES, _UNIQUE, _WHILE, "4.3-answers-ok")
class _AnswersAreMixedUp(_Creating):
    """The new request is kept in a field of the handler, which all calls share."""

    latest: DataRequest | None = None

    async def admitted(self, types: tuple[str, ...], call: Call, others: int) -> DataRequest:  # noqa: ARG002 nobody asks
        self.latest = await self.stored(types, call)
        await asyncio.sleep(_PAUSE)
        return self.latest


@fault(_UNIQUE, _CREATES, _WHILE)
class _OneIdentifierForCreationsAtTheSameTime(_Busy):
    """The generator is shared and not guarded: two threads draw the same number."""

    drawn = ""
    given = cached_property(lambda _: dict[int, str]())

    async def create(self, call: Call) -> Reply:
        with self.under_way(Action.CREATE) as others:
            if not others:
                self.drawn = super().new_id(call)
            self.given[id(call)] = self.drawn
            await asyncio.sleep(_PAUSE)
            return await super().create(call)

    def new_id(self, call: Call) -> str:
        return self.given.pop(id(call))
