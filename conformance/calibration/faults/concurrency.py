"""Faults that show only in simultaneous calls: clauses 2.1, 3, 4.1, 4.2 and 8."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import cached_property

from conformance.calibration import sources
from conformance.calibration.operators import Busy
from conformance.calibration.variant import fault
from conformance.reference.call import TEXT, Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_REMOVED = "3-removed-in-parallel"
_FREES = "3-frees-the-limit-in-parallel"
_CREATES = "4.1-creates-in-parallel"
_WHILE = "4.2-answers-while-deleted"
_LIMIT = "8-limit-enforced-in-parallel"
_UNIQUE = "2.1-requestId-unique"

_PAUSE = 0.05
"""Seconds that a database takes between two statements."""


# ---------------------------------------------------------------------- deletions of one request


class _Deleting(Busy):
    """Looks the request up, waits for the database, and removes it."""

    async def delete(self, call: Call) -> Reply:
        request = self.find(call)
        with self.under_way(request.id) as others:
            await asyncio.sleep(_PAUSE)
            return await self.removed(request, others)

    async def removed(self, request: DataRequest, others: int) -> Reply:  # noqa: ARG002 variants override it
        """Remove the request while `others` deletions of it are in progress, and return the answer."""
        if self.remove(request) is None:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return Reply(200, b"OK", {"content-type": TEXT})


@fault(_REMOVED, source=sources.OPTIMISTIC_LOCKS)
class _SecondDeletionCrashes(_Deleting):
    """The second of two deletions removes a row that no longer exists, and the service does not handle this."""

    async def removed(self, request: DataRequest, others: int) -> Reply:
        if self.store.get(request.id) is None:
            error = "Row was updated or deleted by another transaction"
            return Reply.json({"error": "Internal Server Error", "message": error}, 500)
        return await super().removed(request, others)


@fault(_REMOVED, source=sources.OPTIMISTIC_LOCKS)
class _SecondDeletionConflicts(_Deleting):
    """A version column: the second of two deletions answers with a conflict."""

    async def removed(self, request: DataRequest, others: int) -> Reply:
        if self.store.get(request.id) is None:
            return Reply.json({"error": "Conflict", "message": "The request was changed meanwhile."}, 409)
        return await super().removed(request, others)


@fault(_REMOVED, source=sources.MONGODB_FIND_AND_DELETE)
class _SecondDeletionAnswersNothing(_Deleting):
    """The second of two deletions answers 200 without OK: the handler returns the removed row, which is empty."""

    async def removed(self, request: DataRequest, others: int) -> Reply:
        return await super().removed(request, others) if self.store.get(request.id) else Reply(200)


@fault(_REMOVED, _FREES, source=sources.STALE_SETS)
class _ReadingPutsItBackIntoTheCache(_Deleting):
    """Readings fill a cache: a reading that began before a deletion writes its row after it."""

    cache = cached_property(lambda _: dict[str, DataRequest]())

    def read(self, call: Call) -> Reply:
        if call.request_id in self.cache and call.user and self.cache[call.request_id].owner == call.user.name:
            return Reply.json(self.document(self.cache[call.request_id], call))
        request = self.find(call)
        if self.at(request.id):
            self.cache[request.id] = request
        return super().read(call)


# ---------------------------------------------------------------------- the place that a deletion frees


class _Counting(_Deleting):
    """Keeps a counter for each user instead of counting rows."""

    held = cached_property(lambda _: Counter[str]())

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = self.new_request(types, call)
        with self.guard:
            if self.held[request.owner] >= self.config.max_requests:
                raise RefusedError(ErrorCondition.LIMIT)
            self.held[request.owner] += 1
        self.store.add(request)
        return request


@fault(_FREES, _LIMIT, "8-limit-enforced", source=sources.POSTGRESQL_COMMIT)
class _EachDeletionFreesOnePlace(_Counting):
    """Each deletion that finds the request lowers the counter, even if another deletion removes it."""

    async def removed(self, request: DataRequest, others: int) -> Reply:
        with self.guard:
            self.held[request.owner] -= 1
        return await super().removed(request, others)


@fault(_FREES, _LIMIT, "8-accepts-up-to-limit", source=sources.OPTIMISTIC_LOCKS)
class _ContestedDeletionFreesNoPlace(_Counting):
    """The counter changes with a version check, and the service ignores conflicts."""

    async def removed(self, request: DataRequest, others: int) -> Reply:
        contested = others or self.at(request.id) > 1
        reply = await super().removed(request, others)
        if not contested:
            with self.guard:
                self.held[request.owner] -= 1
        return reply


# ---------------------------------------------------------------------- reading during a deletion


class _InTwoSteps(Busy):
    """Deletes the parts of a request first and the request itself a moment later."""

    async def delete(self, call: Call) -> Reply:
        request = self.find(call)
        with self.under_way(request.id):
            await asyncio.sleep(_PAUSE)
            return await super().delete(call)


@fault(_WHILE, source=sources.POSTGRESQL_COMMIT)
class _ReadFailsWhileDeleted(_InTwoSteps):
    """A simultaneous reading follows a reference to a removed row."""

    def read(self, call: Call) -> Reply:
        if self.at(self.find(call).id):
            return Reply.json({"error": "Internal Server Error", "message": "NoneType has no attribute types"}, 500)
        return super().read(call)


@fault(_WHILE, source=sources.LOCKED)
class _LockedWhileDeleted(_InTwoSteps):
    """Reading a request during its deletion answers that it is locked."""

    def read(self, call: Call) -> Reply:
        if self.at(self.find(call).id):
            return Reply.json({"error": "Locked", "message": "The request is being deleted."}, 423)
        return super().read(call)


# ---------------------------------------------------------------------- creations


class _Creating(Busy):
    """Creates the request and answers a moment later."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        with self.under_way(call.owner) as others:
            return await self.admitted(types, call, others)

    async def admitted(self, types: tuple[str, ...], call: Call, others: int) -> DataRequest:  # noqa: ARG002 variants override it
        """Return the new request while `others` creations of the user are in progress."""
        request = await self.stored(types, call)
        await asyncio.sleep(_PAUSE)
        return request

    async def stored(self, types: tuple[str, ...], call: Call) -> DataRequest:
        """Count and insert, as the reference does."""
        return await Service.admit(self, types, call)


@fault(_CREATES, "4.1-answers-200", source=sources.MYSQL_DEADLOCKS)
class _SecondCreationCrashes(_Creating):
    """Two transactions wait for each other, and the database aborts one of them."""

    async def create(self, call: Call) -> Reply:
        if self.at(call.owner):
            return Reply.json({"error": "Internal Server Error", "message": "deadlock detected"}, 500)
        return await super().create(call)


@fault(_CREATES, _LIMIT, "4.2-answers-200", "4.3-answers-ok", source=sources.POSTGRESQL_COMMIT)
class _LastCreationWins(_Creating):
    """The user's requests are one document that is read, changed and written: simultaneous changes are lost."""

    async def admitted(self, types: tuple[str, ...], call: Call, others: int) -> DataRequest:
        request = await super().admitted(types, call, others)
        if self.at(request.owner) > 1:
            self.store.remove(request.id)
        return request


@fault(
    _CREATES,
    _UNIQUE,
    _WHILE,
    "4.3-answers-ok",
    "3-frees-the-limit",
    "8-accepts-up-to-limit",
    source=sources.SERVLET_THREADS,
)
class _AnswersAreMixedUp(_Creating):
    """All calls share the field of the handler that holds the new request."""

    latest: DataRequest | None = None

    async def admitted(self, types: tuple[str, ...], call: Call, others: int) -> DataRequest:  # noqa: ARG002 the same for all
        self.latest = await self.stored(types, call)
        await asyncio.sleep(_PAUSE)
        return self.latest


@fault(_UNIQUE, _CREATES, _WHILE, source=sources.DOTNET_RANDOM)
class _OneIdentifierForCreationsAtTheSameTime(Busy):
    """All threads share an unguarded generator: two threads draw the same number."""

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


# ---------------------------------------------------------------------- what stands in front of the service


@fault(_CREATES, source="8, paragraph 1, sentence 1")
class _SecondCreationIsTooMany(_Creating):
    """If another creation holds the user's lock, the service answers as if the limit were reached."""

    async def admitted(self, types: tuple[str, ...], call: Call, others: int) -> DataRequest:
        if others:
            raise RefusedError(ErrorCondition.LIMIT)
        return await super().admitted(types, call, others)
