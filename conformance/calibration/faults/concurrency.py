"""Faults that show only in simultaneous calls: clauses 2.1, 3, 4.1, 4.2 and 8."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import cached_property
from typing import Any

from conformance.calibration import sources
from conformance.calibration.operators import Busy, confirmed, crash, problem
from conformance.calibration.variant import fault
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
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
        return confirmed()


@fault(_REMOVED, source=sources.OPTIMISTIC_LOCKS, base=_Deleting, at="removed")
def second_deletion_crashes(service: Service, request: DataRequest, _others: int) -> Reply | None:
    """The second of two deletions removes a row that no longer exists, and the service does not handle this."""
    gone = crash("Row was updated or deleted by another transaction")
    return None if service.store.get(request.id) else gone


@fault(_REMOVED, source=sources.OPTIMISTIC_LOCKS, base=_Deleting, at="removed")
def second_deletion_conflicts(service: Service, request: DataRequest, _others: int) -> Reply | None:
    """A version column: the second of two deletions answers with a conflict."""
    gone = problem(409, "Conflict", "The request was changed meanwhile.")
    return None if service.store.get(request.id) else gone


@fault(_REMOVED, source=sources.MONGODB_FIND_AND_DELETE, base=_Deleting, at="removed")
def second_deletion_answers_nothing(service: Service, request: DataRequest, _others: int) -> Reply | None:
    """The second of two deletions answers 200 without OK: the handler returns the removed row, which is empty."""
    return None if service.store.get(request.id) else Reply(200)


@fault(_REMOVED, _FREES, source=sources.STALE_SETS, base=_Deleting, at="read")
def reading_puts_it_back_into_the_cache(service: Busy, call: Call) -> Reply | None:
    """Readings fill a cache: a reading that began before a deletion writes its row after it."""
    cached = service.kept.get(("read", call.request_id))
    if cached is not None and call.user and cached.owner == call.user.name:
        return Reply.json(service.document(cached, call))
    request = service.find(call)
    if service.at(request.id):
        service.kept["read", request.id] = request
    return None


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

    def free(self, owner: str) -> None:
        """Lower the counter of a user."""
        with self.guard:
            self.held[owner] -= 1


@fault(_FREES, _LIMIT, "8-limit-enforced", source=sources.POSTGRESQL_COMMIT, base=_Counting, at="removed")
def each_deletion_frees_one_place(service: _Counting, request: DataRequest, _others: int) -> None:
    """Each deletion that finds the request lowers the counter, even if another deletion removes it."""
    service.free(request.owner)


@fault(_FREES, _LIMIT, "8-accepts-up-to-limit", source=sources.OPTIMISTIC_LOCKS, base=_Counting, of="removed")
def contested_deletion_frees_no_place(service: _Counting, reply: Reply, request: DataRequest, others: int) -> Reply:
    """The counter changes with a version check, and the service ignores conflicts."""
    if not others and service.at(request.id) == 1:
        service.free(request.owner)
    return reply


# ---------------------------------------------------------------------- reading during a deletion


class _InTwoSteps(Busy):
    """Deletes the parts of a request first and the request itself a moment later."""

    async def delete(self, call: Call) -> Reply:
        request = self.find(call)
        with self.under_way(request.id):
            await asyncio.sleep(_PAUSE)
            return await super().delete(call)


@fault(_WHILE, source=sources.POSTGRESQL_COMMIT, base=_InTwoSteps, at="read")
def read_fails_while_deleted(service: Busy, call: Call) -> Reply | None:
    """A simultaneous reading follows a reference to a removed row."""
    return crash("NoneType has no attribute types") if service.at(service.find(call).id) else None


@fault(_WHILE, source=sources.LOCKED, base=_InTwoSteps, at="read")
def locked_while_deleted(service: Busy, call: Call) -> Reply | None:
    """Reading a request during its deletion answers that it is locked."""
    locked = problem(423, "Locked", "The request is being deleted.")
    return locked if service.at(service.find(call).id) else None


# ---------------------------------------------------------------------- creations


class _Creating(Busy):
    """Creates the request and answers a moment later."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        with self.under_way(call.owner) as others:
            return await self.admitted(types, call, others)

    async def admitted(self, types: tuple[str, ...], call: Call, others: int) -> DataRequest:  # noqa: ARG002 variants override it
        """Return the new request while `others` creations of the user are in progress."""
        request = await super().admit(types, call)
        await asyncio.sleep(_PAUSE)
        return request


@fault(_CREATES, "4.1-answers-200", source=sources.MYSQL_DEADLOCKS, base=_Creating, at="create")
def second_creation_crashes(service: Busy, call: Call) -> Reply | None:
    """Two transactions wait for each other, and the database aborts one of them."""
    return crash("deadlock detected") if service.at(call.owner) else None


@fault(
    _CREATES,
    _LIMIT,
    "4.2-answers-200",
    "4.3-answers-ok",
    source=sources.POSTGRESQL_COMMIT,
    base=_Creating,
    of="admitted",
)
def last_creation_wins(service: Busy, request: DataRequest, *_: object) -> DataRequest:
    """The user's requests are one document that is read, changed and written: simultaneous changes are lost."""
    if service.at(request.owner) > 1:
        service.store.remove(request.id)
    return request


@fault(
    _CREATES,
    _UNIQUE,
    _WHILE,
    "4.3-answers-ok",
    "3-frees-the-limit",
    "8-accepts-up-to-limit",
    source=sources.SERVLET_THREADS,
    of="admit",
)
async def answers_are_mixed_up(service: Service, request: DataRequest, *_: object) -> Any:
    """All calls share the field of the handler that holds the new request."""
    service.kept["latest"] = request
    await asyncio.sleep(_PAUSE)
    return service.kept["latest"]


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


@fault(_CREATES, source="8, paragraph 1, sentence 1", base=_Creating, at="admitted")
def second_creation_is_too_many(_service: Service, _types: tuple[str, ...], _call: Call, others: int) -> None:
    """If another creation holds the user's lock, the service answers as if the limit were reached."""
    if others:
        raise RefusedError(ErrorCondition.LIMIT)
