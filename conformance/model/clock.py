"""The clock of a run: when calls begin, how long they take, and letting time pass."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, Protocol

TICK: Final = 0.1
"""Seconds after which a wait looks whether it is still wanted."""


class Clock(Protocol):
    """Tells and lets pass the time of a run."""

    def now(self) -> datetime:
        """Return the moment, in UTC."""

    def seconds(self) -> float:
        """Return the seconds since a moment that stays the same; they never become fewer."""

    def sleep(self, seconds: float, /, stopped: Callable[[], bool] = lambda: False) -> None:
        """Let time pass, and no more of it once `stopped` says so."""


class _Machine:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the moment, in UTC."""
        return datetime.now(UTC)

    def seconds(self) -> float:
        """Return the seconds since a moment that stays the same."""
        return time.perf_counter()

    def sleep(self, seconds: float, /, stopped: Callable[[], bool] = lambda: False) -> None:
        """Wait."""
        until = self.seconds() + seconds
        while (left := until - self.seconds()) > 0 and not stopped():
            time.sleep(min(left, TICK))


MACHINE: Final[Clock] = _Machine()
