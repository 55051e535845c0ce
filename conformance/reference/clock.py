"""The clock of the reference service: the machine's, or one that moves with the calls."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

_MILLION: Final = 1_000_000


class ServiceClock:
    """Tells the moment, `offset` seconds off; with a `step` it moves by so many seconds with each call, and no else.

    Such a clock `begins` at a moment of its own, in seconds since 1970: now, where none is given.
    """

    def __init__(self, offset: float = 0.0, step: float | None = None, begins: float | None = None) -> None:
        self._offset = timedelta(seconds=offset)
        self._step = step
        self._began = datetime.now(UTC) if begins is None else datetime.fromtimestamp(begins, UTC)
        self._passed = 0
        """Microseconds."""
        self._within_a_call = random.Random(0)
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """Return the moment, in UTC."""
        return self.moment() + self._offset

    def moment(self) -> datetime:
        """Return the moment by a clock that is right, in UTC."""
        return datetime.now(UTC) if self._step is None else self.after(self._passed)

    def after(self, microseconds: int) -> datetime:
        """Return the moment when so many microseconds have passed."""
        return self._began + timedelta(microseconds=microseconds)

    def nanoseconds(self) -> int:
        """Return the nanoseconds since 1970 by a clock that is right; where calls move it, within the last call."""
        if self._step is None:
            return time.time_ns()
        # Whole steps would stand out, where a machine's clock has any nanosecond.
        return round(self.moment().timestamp() * 1e6) * 1000 - int(self._within_a_call.random() * self._step * 1e9)

    def count_a_call(self) -> None:
        """Let the time of one call pass."""
        self.advance(self._step or 0.0)

    def advance(self, seconds: float) -> int:
        """Let time pass, where it does not do so by itself; return the microseconds that have passed by then."""
        with self._lock:
            self._passed += round(seconds * _MILLION)
            return self._passed


class SharedClock:
    """The clock of a service that moves with the calls, as a run in the same process reads it.

    It goes on by a microsecond whenever it is read: no two moments are the same, as by a clock that moves by itself.
    """

    def __init__(self, clock: ServiceClock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        """Return the moment, in UTC, however wrong the service tells it."""
        return self._clock.after(self._clock.advance(1 / _MILLION))

    def seconds(self) -> float:
        """Return how many seconds have passed."""
        return self._clock.advance(1 / _MILLION) / _MILLION

    def sleep(self, seconds: float, /, stopped: Callable[[], bool] = lambda: False) -> None:  # noqa: ARG002 takes no time
        """Let time pass for both."""
        self._clock.advance(seconds)
