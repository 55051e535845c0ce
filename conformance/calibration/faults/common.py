"""What the faults have in common that cannot let go of a deleted request."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property

from conformance.reference.call import Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


class Remembering(Service):
    """Keeps what was deleted, and when."""

    removed = cached_property(lambda _: dict[str, tuple[DataRequest, datetime]]())

    def remove(self, request: DataRequest) -> DataRequest | None:
        """Remove a request, and keep it."""
        self.removed[request.id] = (request, self.now())
        return super().remove(request)

    def find_removed(self, call: Call) -> DataRequest:
        """Return a request whether or not it was deleted."""
        found = self.removed.get(call.request_id)
        return found[0] if found else super().find(call)
