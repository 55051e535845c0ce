"""Faults of clauses 3, 4.2 and 5: caches, replicas and flags between the stored request and the answer."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from functools import cached_property
from typing import Any

from conformance.calibration.faults.common import Remembering
from conformance.calibration.variant import fault
from conformance.reference.call import TEXT, Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_READ = Action.READ


class _Cached(Service):
    """Keeps the answers to reading, by the address only."""

    kept = cached_property(lambda _: dict[str, Reply]())

    def read(self, call: Call) -> Reply:
        if call.request_id not in self.kept:
            self.kept[call.request_id] = super().read(call)
        return self.copy(call)

    def copy(self, call: Call) -> Reply:
        """Return the stored answer."""
        kept = self.kept[call.request_id]
        return Reply(kept.status, kept.body, dict(kept.headers))


@fault("3-removed", "3-deletes-completed")
class _ReadingsOutliveTheDeletion(_Cached):
    """Reading answers from a cache, which a deletion does not clear."""


@fault("3-removed", "3-deletes-completed")
class _FrequentReadingsOutliveTheDeletion(_Cached):
    """From the third reading on, a cache answers, which a deletion does not clear."""

    read_so_often = cached_property(lambda _: Counter[str]())

    def read(self, call: Call) -> Reply:
        self.read_so_often[call.request_id] += 1
        return super().read(call) if self.read_so_often[call.request_id] > 2 else Service.read(self, call)


@fault("3-removed")
class _ReadingsInOneLanguageOutliveTheDeletion(Service):
    """A cache keeps readings by address and language, and a deletion removes only the one without a language."""

    kept = cached_property(lambda _: dict[tuple[str, str], Reply]())

    def read(self, call: Call) -> Reply:
        key = call.request_id, call.headers.get("Accept-Language", "")
        if key not in self.kept:
            self.kept[key] = super().read(call)
        return Reply(200, self.kept[key].body, dict(self.kept[key].headers))

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.kept.pop((request.id, ""), None)
        return super().remove(request)


@fault("3-removed")
class _ReadingsAreKeptForOtherUsers(Service):
    """A cache answers the reading of another user with what the owner read, also after the deletion."""

    kept = cached_property(lambda _: dict[str, tuple[str, Reply]]())

    def read(self, call: Call) -> Reply:
        owner, kept = self.kept.get(call.request_id, (call.owner, None))
        if kept is not None and owner != call.owner:
            return Reply(200, kept.body, dict(kept.headers))
        reply = super().read(call)
        self.kept[call.request_id] = call.owner, reply
        return reply


@fault("5.3-read-without-token", "5.3-read-with-bad-token")
class _ReadingsAreCachedForEverybody(_Cached):
    """A cache in front of the service ignores the token: it shows a request that was read once to all clients."""

    async def shortcut(self, call: Call) -> Reply | None:
        return self.copy(call) if call.operation is _READ and call.request_id in self.kept else None

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.kept.pop(request.id, None)
        return super().remove(request)


@fault("5.1-accepts-bearer", "4.2-answers-200", "3-removed")
class _RejectionsAreCachedForEverybody(Service):
    """A cache in front of the service keeps a 401 for the address and sends it to clients with a valid token."""

    rejected = cached_property(lambda _: set[str]())

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation is _READ and self.authenticate(call) is None:
            self.rejected.add(call.request_id)
        if call.operation is _READ and call.request_id in self.rejected:
            raise RefusedError(ErrorCondition.UNAUTHORIZED)
        return None


class _Flagged(Service):
    """Deletes by setting a flag."""

    cancelled = cached_property(lambda _: set[str]())

    def holds_place(self, request: DataRequest, owner: str) -> bool:
        return super().holds_place(request, owner) and request.id not in self.cancelled

    def remove(self, request: DataRequest) -> DataRequest | None:
        if request.id in self.cancelled:
            return None
        self.cancelled.add(request.id)
        return request


@fault("3-removed", "3-deletes-completed")
class _DeletedIsShownAsCompleted(_Flagged):
    """A deletion moves the request to a final state, which reading shows as completed."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        over = {"isCompleted": True, "completedAt": self.timestamp(self.now())}
        return super().document(request, call) | (over if request.id in self.cancelled else {})


@fault("3-removed", "3-deletes-completed")
class _DeletedIsShownEmpty(_Flagged):
    """A deletion empties the request and keeps the row: reading shows a request without types."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        empty: dict[str, Any] = {"dataRequested": []} if request.id in self.cancelled else {}
        return super().document(request, call) | empty


@fault("3-removed")
class _DeletedIsForbidden(_Flagged):
    """A deleted request has no owner, so that reading it answers 403."""

    async def perform(self, call: Call) -> Reply:
        if call.request_id in self.cancelled and self.authenticate(call) is not None:
            return Reply.json({"error": "Forbidden", "message": "This request is not yours."}, 403)
        return await super().perform(call)


@fault("4.2-answers-200", "3-removed")
class _ReadableAfterAMoment(Service):
    """Creation answers before a message has stored the request: reading finds it a little later."""

    def read(self, call: Call) -> Reply:
        if self.now() - self.find(call).created_at < timedelta(seconds=0.2):
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return super().read(call)


@fault("4.3-answers-ok")
class _DeletableAfterTheFirstReading(Service):
    """The first reading writes the row that a deletion looks for."""

    read_once = cached_property(lambda _: set[str]())

    def read(self, call: Call) -> Reply:
        self.read_once.add(call.request_id)
        return super().read(call)

    async def delete(self, call: Call) -> Reply:
        if self.find(call).id not in self.read_once:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        self.remove(self.find(call))
        return Reply(200, b"OK", {"content-type": TEXT})


@fault("5.3-read-without-token", "5.3-read-with-bad-token")
class _WhatIsReadOftenNeedsNoToken(Service):
    """From the third reading on, a cache answers by the address alone: no token is necessary."""

    read_so_often = cached_property(lambda _: Counter[str]())

    async def perform(self, call: Call) -> Reply:
        kept = self.store.get(call.request_id) if call.operation is Action.READ else None
        if kept is not None and self.read_so_often[kept.id] >= 3:
            return Reply.json(self.document(kept, call))
        reply = await super().perform(call)
        if kept is not None and reply.status == 200:
            self.read_so_often[kept.id] += 1
        return reply


@fault("7-not-found")
class _DeletionMarksAreComparedLetterByLetter(Remembering):
    """The database compares identifiers without regard to case, and the list of the deleted ones (Redis) with it."""

    def find(self, call: Call) -> DataRequest:
        if call.request_id in self.removed:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        call.request_id = call.request_id.lower()
        found = self.find_removed(call)
        if found.owner != call.owner:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return found
