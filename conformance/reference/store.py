"""The data requests that exist, guarded for threads and for event loops alike."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class DataRequest:
    """A data request as stored; `complete_after` is in seconds, None for one that never completes."""

    id: str
    owner: str
    created_at: datetime
    types: tuple[str, ...]
    complete_after: float | None = None

    def completed_at(self, now: datetime) -> datetime | None:
        """Return when the request was completed, or None while it is in progress."""
        if self.complete_after is None:
            return None
        moment = self.created_at + timedelta(seconds=self.complete_after)
        return moment if moment <= now else None


class Store:
    """All data requests by identifier. The lock is held in short sections only, never across an await."""

    def __init__(self) -> None:
        """Begin empty."""
        self._lock = threading.Lock()
        self._requests: dict[str, DataRequest] = {}

    def add(
        self, request: DataRequest, has_room: Callable[[Iterable[DataRequest]], bool] = lambda _existing: True
    ) -> bool:
        """Add `request` if `has_room` is true of the existing ones; counting and adding are one step."""
        with self._lock:
            if not has_room(self._requests.values()):
                return False
            self._requests[request.id] = request
            return True

    def get(self, request_id: str) -> DataRequest | None:
        """Return the request with this identifier, or None."""
        return self._requests.get(request_id)

    def remove(self, request_id: str) -> DataRequest | None:
        """Remove and return the request with this identifier; None if another call was faster."""
        with self._lock:
            return self._requests.pop(request_id, None)

    def replace(self, request: DataRequest) -> None:
        """Replace the request with the same identifier, if it exists."""
        with self._lock:
            if request.id in self._requests:
                self._requests[request.id] = request

    def of(self, owner: str) -> list[DataRequest]:
        """Return the requests of a user, oldest first."""
        return [each for each in self.all() if each.owner == owner]

    def all(self) -> tuple[DataRequest, ...]:
        """Return every request, oldest first."""
        with self._lock:
            return tuple(self._requests.values())
