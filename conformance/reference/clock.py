"""The clock of the reference service: the machine's, or one that moves with the calls."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta


class Clock:
    """Tells the moment, `offset` seconds off; with a `step` it moves by so many seconds with each call, and no else."""

    def __init__(self, offset: float = 0.0, step: float | None = None) -> None:
        self._offset = timedelta(seconds=offset)
        self._step = step
        self._began = datetime.now(UTC)
        self._passed = 0.0
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """Return the moment, in UTC."""
        if self._step is None:
            return datetime.now(UTC) + self._offset
        return self._began + timedelta(seconds=self._passed) + self._offset

    def count_a_call(self) -> None:
        """Let the time of one call pass."""
        self.advance(self._step or 0.0)

    def advance(self, seconds: float) -> None:
        """Let time pass, where it does not do so by itself."""
        with self._lock:
            self._passed += seconds
