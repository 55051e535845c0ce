"""Faults of clauses 3, 4.2 and 5: caches, replicas and flags between the stored request and the answer."""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property
from typing import Any

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


@fault("4.3-answers-ok", "4.1-creates-in-parallel")
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
