"""Faults of clauses 3, 4.2 and 5: caches, replicas and flags between the stored request and the answer."""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property

from conformance.calibration.sources import MONGODB_SECONDARIES, NGINX_CACHE, SHARED_CACHES
from conformance.calibration.variant import fault
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_READ = Action.READ


@fault("5.3-read-without-token", "5.3-read-with-bad-token", source=SHARED_CACHES)
class _ReadingsAreCachedForEverybody(Service):
    """A cache in front of the service ignores the token: it shows a request that was read once to all clients."""

    kept = cached_property(lambda _: dict[str, Reply]())

    def read(self, call: Call) -> Reply:
        if call.request_id not in self.kept:
            self.kept[call.request_id] = super().read(call)
        return self.copy(call)

    def copy(self, call: Call) -> Reply:
        """Return the stored answer."""
        kept = self.kept[call.request_id]
        return Reply(kept.status, kept.body, dict(kept.headers))

    async def shortcut(self, call: Call) -> Reply | None:
        return self.copy(call) if call.operation is _READ and call.request_id in self.kept else None

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.kept.pop(request.id, None)
        return super().remove(request)


@fault("5.1-accepts-bearer", "4.2-answers-200", "3-removed", source=NGINX_CACHE)
class _RejectionsAreCachedForEverybody(Service):
    """A cache in front of the service keeps a 401 for the address and sends it to clients with a valid token."""

    rejected = cached_property(lambda _: set[str]())

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation is _READ and self.authenticate(call) is None:
            self.rejected.add(call.request_id)
        if call.operation is _READ and call.request_id in self.rejected:
            raise RefusedError(ErrorCondition.UNAUTHORIZED)
        return None


@fault("4.2-answers-200", "3-removed", source=MONGODB_SECONDARIES)
class _ReadableAfterAMoment(Service):
    """Creation answers before a message has stored the request: reading finds it a little later."""

    def read(self, call: Call) -> Reply:
        if self.now() - self.find(call).created_at < timedelta(seconds=0.2):
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return super().read(call)
