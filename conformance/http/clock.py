"""The clock of a run, the rate of its exchanges, and Retry-After."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from conformance.model.date_time import http_date

TICK: Final = 0.1
"""Seconds between two checks whether a wait has been stopped, or an exchange given up."""

AGREE: Final = timedelta(minutes=1)
"""Clocks that are no farther apart agree."""


class Clock(Protocol):
    """Tells and lets pass the time of a run."""

    def now(self) -> datetime:
        """Return the moment, in UTC."""

    def seconds(self) -> float:
        """Return the seconds since a fixed moment; they never decrease."""

    def sleep(self, seconds: float, /, stopped: Callable[[], bool] = lambda: False) -> None:
        """Let time pass until `stopped` is true."""


class _Machine:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the moment, in UTC."""
        return datetime.now(UTC)

    def seconds(self) -> float:
        """Return the seconds since a fixed moment; they never decrease."""
        return time.perf_counter()

    def sleep(self, seconds: float, /, stopped: Callable[[], bool] = lambda: False) -> None:
        """Wait."""
        until = self.seconds() + seconds
        while (left := until - self.seconds()) > 0 and not stopped():
            time.sleep(min(left, TICK))


MACHINE: Final[Clock] = _Machine()


_SECONDS = re.compile(r"[+-]?[0-9]+")
_LONGEST = 1e10


class Throttle:
    """Spaces the starts of exchanges evenly over all threads: never more than `rate` per second; None for no limit."""

    def __init__(
        self,
        rate: float | None,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._interval = 1 / rate if rate else 0.0
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._next = float("-inf")

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self._interval > 0

    def wait(self) -> None:
        """Return when the next exchange may start."""
        if not self._interval:
            return
        with self._lock:
            now = self._clock()
            start = max(now, self._next)
            self._next = start + self._interval
        if start > now:
            self._sleep(start - now)


def retry_after(value: str | None, now: datetime) -> float | None:
    """Return the seconds, 0 or more, that a Retry-After of `value` asks for at `now` (aware), or None."""
    text = (value or "").strip()
    if _SECONDS.fullmatch(text):
        return min(max(float(text), 0.0), _LONGEST)
    when = http_date(text)
    return None if when is None else max((when - now).total_seconds(), 0.0)
