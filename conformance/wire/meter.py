"""What one exchange has used up so far."""

from __future__ import annotations

import math
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol, TypeVar

from conformance.wire.bounds import Bounds, amount
from conformance.wire.head import Head
from conformance.wire.trouble import NoAnswer, Trouble

TICK: Final = 0.1
"""Seconds after which a blocked step looks whether the exchange is given up."""

_T = TypeVar("_T")


class Carrier(Protocol):
    """A connection as the meter sees it."""

    used: bool

    def spend(self) -> None:
        """Give the connection up after this exchange."""

    def ends_within(self, seconds: float) -> bool:
        """Wait so long at most for the target to close the connection, or to send what nobody asked for."""


class Meter:
    """Clock and counters of one exchange, which lives in one thread."""

    def __init__(
        self,
        bounds: Bounds,
        *,
        at_most: tuple[float, str] = (math.inf, ""),
        given_up: Callable[[], str] = str,
    ) -> None:
        """Start the clock. `at_most` are seconds that may be less than the deadline, and why they are.

        `given_up` is asked every now and then: it returns why the answer is no longer wanted, empty as long as it is.
        """
        self.bounds = bounds
        self._seconds, self._why = min(at_most, (bounds.deadline, ""))
        self._given_up = given_up
        self.head = Head(bounds)
        self.reused = False
        self.sending = False
        """Some of the request has been sent."""
        self.ended = False
        """The target has closed its side after the header block."""
        self._over = time.monotonic() + self._seconds
        self._taken = 0
        self._carrier: Carrier | None = None

    def left(self, limit: float | None = None) -> float:
        """Return the seconds the next step may take, at most `limit`.

        Raises NoAnswer: deadline when none is left, closed when the exchange is given up.
        """
        if why := self._given_up():
            raise NoAnswer(Trouble.CLOSED, why)
        left = self._over - time.monotonic()
        if left <= 0:
            raise self.overdue()
        return left if limit is None else min(left, limit)

    def in_time(self, sock: socket.socket, step: Callable[[], _T], limit: float | None = None) -> _T:
        """Return what `step`, which blocks on `sock`, returns; raise TimeoutError, or NoAnswer as `left` does."""
        until = time.monotonic() + self.left(limit)
        while (left := until - time.monotonic()) > 0:
            sock.settimeout(min(left, TICK))
            try:
                return step()
            except TimeoutError:
                self.left()
        raise TimeoutError

    def overdue(self) -> NoAnswer:
        """Return the error for a step that took longer than it may."""
        over = time.monotonic() >= self._over
        if over and self._why:
            return NoAnswer(Trouble.DEADLINE, self._why)
        if self.head.started or over:
            stage = "the whole answer" if self.head.started else "an answer"
            return NoAnswer(Trouble.DEADLINE, f"the deadline of {self.bounds.deadline:g} s passed before {stage} came")
        return NoAnswer(Trouble.DEADLINE, f"no byte of an answer within {self.bounds.first_byte:g} s")

    def carry(self, carrier: Carrier) -> None:
        """Note the connection that carries this exchange."""
        if self._carrier is not carrier:
            self._carrier = carrier
            self.reused = carrier.used
            carrier.used = True

    def drop(self) -> None:
        """See to it that the connection of this exchange serves no other."""
        if self._carrier is not None:
            self._carrier.spend()

    def hung_up(self, within: float) -> bool:
        """Tell whether the target closes the connection of this exchange in so many seconds."""
        return self._carrier is None or self._carrier.ends_within(within)

    def take(self, data: bytes) -> None:
        """Count bytes that came from the target; raise NoAnswer when they break a bound."""
        self._taken += len(data)
        if self._taken > self.bounds.wire:
            raise NoAnswer(Trouble.TOO_LARGE, f"the answer exceeds {amount(self.bounds.wire)} on the wire")
        self.head.feed(data)

    def broken(self, how: str) -> NoAnswer:
        """Return the error for a connection that ended too early; `how` reads like "closed"."""
        if self.head.started:
            part = "the body" if self.head.finished else "the header block"
            detail = f"{part} was cut off: the connection was {how} after {self._taken} bytes"
            return NoAnswer(Trouble.TRUNCATED, detail)
        reused = ", which had served an earlier exchange," if self.reused else ""
        return NoAnswer(Trouble.CLOSED, f"the connection{reused} was {how} before any byte of an answer")


class _Local(threading.local):
    meter: Meter


_local = _Local()


@contextmanager
def metered(meter: Meter) -> Iterator[Meter]:
    """Let `meter` be the one that connections of this thread consult."""
    _local.meter = meter
    try:
        yield meter
    finally:
        del _local.meter


def current() -> Meter:
    """Return the meter of the exchange this thread is at."""
    return _local.meter
