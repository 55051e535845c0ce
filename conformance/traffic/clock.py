"""The clock of a run: when calls begin, how long they take, and letting time pass."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Final, Protocol


class Clock(Protocol):
    """Tells and lets pass the time of a run."""

    def now(self) -> datetime:
        """Return the moment, in UTC."""

    def seconds(self) -> float:
        """Return the seconds since a moment that stays the same; they never become fewer."""

    def sleep(self, seconds: float, /) -> None:
        """Let time pass."""


class _Machine:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the moment, in UTC."""
        return datetime.now(UTC)

    def seconds(self) -> float:
        """Return the seconds since a moment that stays the same."""
        return time.perf_counter()

    def sleep(self, seconds: float, /) -> None:
        """Wait."""
        time.sleep(seconds)


MACHINE: Final[Clock] = _Machine()
