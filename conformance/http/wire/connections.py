"""The connections of a transport: a target that serves one at a time lets every other wait for an idle one."""

from __future__ import annotations

import math
from abc import abstractmethod
from threading import Lock
from typing import Final
from weakref import WeakSet

import httpcore

PATIENCE: Final = 0.5
"""Seconds for which an exchange on a new connection waits before the idle ones are closed. Nothing is lost by that, so
it may be shorter than a slow answer takes."""

_ENOUGH: Final = 2
"""Closings in a row after which the answer came at once, before that is no chance."""


class Connection(httpcore.NetworkStream):
    """One connection, with what is known of it for the next exchange."""

    used = False
    """Whether an exchange has used the connection."""
    spent = False
    """Whether no further exchange may use the connection."""
    after_refused_body = False
    """Whether the last exchange sent a body and was refused: the target may have left the body unread."""

    @property
    @abstractmethod
    def is_open(self) -> bool:
        """Whether this side has not closed the connection."""

    @abstractmethod
    def ends_within(self, seconds: float) -> bool:
        """Wait at most `seconds` for the target to close the connection, or to send unexpected bytes."""


class IdleConnections:
    """The idle connections of a transport. Safe to use from several threads. Times are seconds of one clock."""

    def __init__(self, patience: float) -> None:
        self.one_at_a_time = False
        """Whether the target was seen to serve one connection at a time. No connection stays open from then on."""
        self._patience = patience
        self._closed = -math.inf
        """When some were last closed for an exchange that had just lost its patience."""
        self._helped = 0
        """After how many closings in a row an answer came at once."""
        self._serves_several = False
        """Whether an answer came on a new connection while another one was idle, which shows the opposite."""
        self._idle: WeakSet[Connection] = WeakSet()
        self._lock = Lock()

    def take(self, stream: Connection) -> bool:
        """Take a connection for an exchange; False if it was closed meanwhile, so that nothing may be sent on it."""
        with self._lock:
            self._idle.discard(stream)
            return not stream.spent

    def leave(self, stream: Connection) -> None:
        """Take a connection back that has no exchange any more."""
        with self._lock:
            self._idle.add(stream)
        if self.one_at_a_time:
            self._close()

    def waiting(self, since: float, before: float, now: float) -> None:
        """Close the idle connections if an exchange on a new one has waited too long for the first byte.

        It says so again and again; `before` is when it last did. After a closing that helped, the next exchange waits
        longer: one that only takes its time is answered before that.
        """
        patience = 0.0 if self.one_at_a_time else self._patience * (1 + self._helped)
        if now - since >= patience and self._close():
            self._closed = now if before - since < patience else -math.inf

    def answered(self, since: float, now: float) -> None:
        """Note the first byte of an answer to an exchange that waited for it on a new connection."""
        with self._lock:
            # An idle connection that the target has closed is readable.
            self._serves_several |= any(not each.get_extra_info("is_readable") for each in self._idle)
            if self._closed >= since:
                at_once = now - self._closed <= self._patience / 2
                self._helped = min(self._helped + 1, _ENOUGH) if at_once else 0
                self._closed = -math.inf
                self.one_at_a_time |= self._helped == _ENOUGH and not self._serves_several

    def _close(self) -> bool:
        with self._lock:
            found = [each for each in self._idle if each.is_open]
            self._idle.clear()
            for each in found:
                each.spent = True
        for each in found:
            each.close()
        return bool(found)
