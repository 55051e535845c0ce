"""Base classes of faults: a store of deleted requests, and a counter of places for each user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from functools import cached_property

from conformance.reference.call import Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


class Remembering(Service):
    """Keeps deleted requests and the moments of their deletion."""

    removed = cached_property(lambda _: dict[str, tuple[DataRequest, datetime]]())

    def remove(self, request: DataRequest) -> DataRequest | None:
        """Delete a request and keep a copy."""
        self.removed[request.id] = (request, self.now())
        return super().remove(request)

    def find_removed(self, call: Call) -> DataRequest:
        """Return a request whether or not it was deleted."""
        found = self.removed.get(call.request_id)
        return found[0] if found else super().find(call)


class CountingPlaces(Service):
    """Keeps a number of places for each user, which never falls below 0, instead of counting requests."""

    places = cached_property(lambda _: Counter[str]())

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:  # noqa: ARG002 the counter decides
        """Take the places of a request, if one is free."""
        room = self.places[request.owner] < self.config.max_requests
        self.places[request.owner] += self.weight(request) if room else 0
        return room

    def weight(self, request: DataRequest) -> int:  # noqa: ARG002 variants override it
        """Return how many places a request takes."""
        return 1

    def free(self, owner: str, places: int = 1) -> None:
        """Lower the number of a user."""
        self.places[owner] = max(0, self.places[owner] - places)

    def remove(self, request: DataRequest) -> DataRequest | None:
        """Remove a request and free its places."""
        self.free(request.owner, self.weight(request))
        return super().remove(request)
