"""The clock of the reference service: the machine's, or one that advances with the calls."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

_MILLION: Final = 1_000_000


class ServiceClock:
    """A clock, `offset` seconds off; with a `step` it advances only with each call, by this number of seconds.

    Such a clock `begins` at a given moment, in seconds since 1970, or now.
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
        """Return the correct moment, in UTC."""
        return datetime.now(UTC) if self._step is None else self.after(self._passed)

    def after(self, microseconds: int) -> datetime:
        """Return the moment after a number of microseconds."""
        return self._began + timedelta(microseconds=microseconds)

    def nanoseconds(self) -> int:
        """Return the correct nanoseconds since 1970; if calls advance the clock, within the last call."""
        if self._step is None:
            return time.time_ns()
        # A random fraction, because whole steps would be conspicuous.
        return round(self.moment().timestamp() * 1e6) * 1000 - int(self._within_a_call.random() * self._step * 1e9)

    def count_a_call(self) -> None:
        """Advance by one call."""
        self.advance(self._step or 0.0)

    def advance(self, seconds: float) -> int:
        """Advance a clock that calls advance; return the number of the microsecond that has passed."""
        with self._lock:
            self._passed += round(seconds * _MILLION)
            return self._passed


class SharedClock:
    """The clock of a service that advances with the calls, for a run in the same process.

    It advances by a microsecond at each reading: no two moments are equal, as with a clock that runs by itself.
    """

    def __init__(self, clock: ServiceClock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        """Return the correct moment, in UTC."""
        return self._clock.after(self._clock.advance(1 / _MILLION))

    def seconds(self) -> float:
        """Return the seconds that have passed."""
        return self._clock.advance(1 / _MILLION) / _MILLION

    def sleep(self, seconds: float, /, stopped: Callable[[], bool] = lambda: False) -> None:  # noqa: ARG002 takes no time
        """Let time pass for both; a negative number changes nothing."""
        self._clock.advance(max(0.0, seconds))
