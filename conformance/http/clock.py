"""The clock of a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

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
        return datetime.now(UTC)

    def seconds(self) -> float:
        return time.perf_counter()

    def sleep(self, seconds: float, /, stopped: Callable[[], bool] = lambda: False) -> None:
        until = self.seconds() + seconds
        while (left := until - self.seconds()) > 0 and not stopped():
            time.sleep(min(left, TICK))


MACHINE: Final[Clock] = _Machine()
