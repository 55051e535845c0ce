"""The limits of one exchange, and the meter that enforces them while data arrives."""

from __future__ import annotations

import math
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import httpcore

from conformance.http.clock import TICK
from conformance.http.wire.connections import Connection, IdleConnections
from conformance.model.exchange import ErrorKind, TransportError

KIB = 1024
MIB = 1024 * KIB


def amount(number: int) -> str:
    """Return a number of bytes in words, such as "10 MiB"."""
    for unit, name in ((MIB, "MiB"), (KIB, "KiB")):
        if number >= unit and number % unit == 0:
            return f"{number // unit} {name}"
    return f"{number} bytes"


@dataclass(frozen=True)
class Limits:
    """Limits of one exchange: times in seconds, sizes in bytes; no time is longer than `deadline`."""

    deadline: float = 30.0
    """From the lookup of the name to the last byte of the body."""
    resolve: float = 5.0
    connect: float = 5.0
    """TCP connect and, again, the TLS handshake."""
    first_byte: float = 15.0
    """From the request to the first byte of the response; also the longest time in which the target reads nothing."""
    wire: int = 10 * MIB
    decoded: int = 10 * MIB
    header_fields: int = 100
    header_bytes: int = 64 * KIB
    """Of status line and header fields, with those of 1xx answers before the final one."""

    def __post_init__(self) -> None:
        """Cut the times to the deadline."""
        for name in ("resolve", "connect", "first_byte"):
            object.__setattr__(self, name, min(getattr(self, name), self.deadline))


_START = b"HTTP/"
_QUOTED = 7
"""Bytes: enough to recognise SSH-2.0, too few to show a part of a token that the target returns."""


_T = TypeVar("_T")


class Meter:
    """Clock and counters of one exchange, which lives in one thread."""

    def __init__(
        self,
        bounds: Limits,
        *,
        at_most: tuple[float, str] = (math.inf, ""),
        given_up: Callable[[], str] = str,
        idle: IdleConnections | None = None,
    ) -> None:
        """Start the clock. `at_most` is a time below the deadline, with its reason.

        `given_up` is called repeatedly: it returns why the response is no longer wanted, or "". `idle` has the
        connections that may keep the target from answering.
        """
        self.bounds = bounds
        self._seconds, self._why = min(at_most, (bounds.deadline, ""))
        self._given_up = given_up
        self.started = False
        """The answer has begun."""
        self.in_body = False
        """Its status line and header fields are complete."""
        self.reused = False
        self.after_refused_body = False
        """Whether the connection carried a refused body just before."""
        self.sending = False
        """Some of the request has been sent."""
        self.ended = False
        """The target has closed its side after the header block."""
        self.is_through = False
        """A proxy has made way to the target, or none is needed."""
        self._idle = idle
        self._began = self._looked = time.monotonic()
        self._over = self._began + self._seconds
        self._taken = 0
        self._carrier: Connection | None = None

    def through(self) -> None:
        """Begin with the target itself: what came before, if anything, was the answer of a proxy."""
        self.started, self.sending = False, False
        self.is_through = True

    def left(self, limit: float | None = None) -> float:
        """Return the seconds the next step may take, at most `limit`.

        Raises TransportError: deadline when none is left, closed when the exchange is given up.
        """
        if why := self._given_up():
            raise TransportError(ErrorKind.CLOSED, why)
        now = time.monotonic()
        left = self._over - now
        if self._idle is not None and self._waits:
            self._idle.waiting(self._began, self._looked, now)
            self._looked = now
        if left <= 0:
            raise self.overdue()
        return left if limit is None else min(left, limit)

    def in_time(self, sock: socket.socket, step: Callable[[], _T], limit: float | None = None) -> _T:
        """Return the result of `step`, which blocks on `sock`; raise TimeoutError, or TransportError as `left` does."""
        until = time.monotonic() + self.left(limit)
        while (left := until - time.monotonic()) > 0:
            sock.settimeout(min(left, TICK))
            try:
                return step()
            except TimeoutError:
                self.left()
        raise TimeoutError

    def is_own(self, error: TransportError) -> bool:
        """Whether the run ended the exchange: its time was over, or it gave the response up."""
        return bool(error.detail) and error.detail in (self._why, self._given_up())

    @property
    def _waits(self) -> bool:
        """Whether this may wait for another connection: one that served an exchange before does not."""
        return not (self.reused or self.started)

    def overdue(self) -> TransportError:
        """Return the error for a step that exceeded its time."""
        over = time.monotonic() >= self._over
        if over and self._why:
            return TransportError(ErrorKind.DEADLINE, self._why)
        if self.started or over:
            stage = "the whole answer" if self.started else "an answer"
            return TransportError(
                ErrorKind.DEADLINE, f"the deadline of {self.bounds.deadline:g} s passed before {stage} came"
            )
        return TransportError(ErrorKind.DEADLINE, f"no byte of an answer within {self.bounds.first_byte:g} s")

    def carry(self, carrier: Connection) -> None:
        """Note the connection that carries this exchange."""
        if self._carrier is not carrier:
            if self._idle is not None and not self._idle.take(carrier):
                raise httpcore.ConnectionNotAvailable
            self._carrier = carrier
            self.reused, self.after_refused_body = carrier.used, carrier.after_refused_body
            carrier.used = True

    def drop(self) -> None:
        """Let no other exchange use the connection of this one."""
        if self._carrier is not None:
            self._carrier.spent = True

    def release(self) -> None:
        """End the exchange: its connection is idle."""
        if self._idle is not None and self._carrier is not None:
            self._idle.leave(self._carrier)
        self._carrier = None

    def note_refused_body(self, *, refused: bool) -> None:
        """Note on the connection whether this exchange sent a body and was refused."""
        if self._carrier is not None:
            self._carrier.after_refused_body = refused

    def hung_up(self, within: float) -> bool:
        """Tell whether the target closes the connection of this exchange within some seconds."""
        return self._carrier is None or self._carrier.ends_within(within)

    def take(self, data: bytes) -> None:
        """Count bytes that came from the target; raise TransportError when they break a bound."""
        if self._idle is not None and self._waits:
            self._idle.answered(self._began, time.monotonic())
        if not self.started and (why := _unlike_http(data)):
            raise TransportError(ErrorKind.NOT_HTTP, why)
        self.started = True
        if not self.in_body:
            self._bound_header(self._taken)
        self._taken += len(data)
        if self._taken > self.bounds.wire:
            raise TransportError(ErrorKind.TOO_LARGE, f"the answer exceeds {amount(self.bounds.wire)} on the wire")

    def begin_body(self, fields: Sequence[tuple[str, str]]) -> None:
        """Note that the header fields are complete; raise TransportError when they break a bound."""
        self.in_body = True
        self._bound_header(sum(len(name) + len(value) for name, value in fields))
        if len(fields) > self.bounds.header_fields:
            raise TransportError(ErrorKind.TOO_LARGE, f"more than {self.bounds.header_fields} header fields")
        if {"content-length", "transfer-encoding"} <= {name.lower() for name, _ in fields}:
            raise TransportError(
                ErrorKind.NOT_HTTP, "Content-Length and Transfer-Encoding contradict each other in one answer"
            )

    def _bound_header(self, size: int) -> None:
        if size > self.bounds.header_bytes:
            raise TransportError(ErrorKind.TOO_LARGE, f"the header block exceeds {amount(self.bounds.header_bytes)}")

    def broken(self, how: str) -> TransportError:
        """Return the error for a connection that ended too early; `how` reads like "closed"."""
        if self.started:
            part = "the body" if self.in_body else "the header block"
            detail = f"{part} was cut off: the connection was {how} after {self._taken} bytes"
            return TransportError(ErrorKind.TRUNCATED, detail)
        reused = ", which had served an earlier exchange," if self.reused else ""
        return TransportError(ErrorKind.CLOSED, f"the connection{reused} was {how} before any byte of an answer")


def _unlike_http(start: bytes) -> str:
    """Return why an answer that begins like this is none of HTTP/1.1; "" if it may be one."""
    if start[:1] in (b"\x15", b"\x16"):
        return "the target speaks TLS where http was expected: try https"
    if start[: len(_START)] != _START[: len(start)]:
        return f"the target does not speak HTTP/1.1: its answer starts with {start[:_QUOTED]!r}"
    return "switched to another protocol although nothing asked for it" if start[8:12] == b" 101" else ""


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
        meter.release()
        del _local.meter


def current() -> Meter:
    """Return the meter of this thread's exchange."""
    return _local.meter
