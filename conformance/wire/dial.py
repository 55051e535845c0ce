"""A TCP connection to the first of several addresses that takes one."""

from __future__ import annotations

import errno
import os
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable, Sequence

from conformance.wire.meter import TICK
from conformance.wire.resolver import Address

_HEAD_START = 0.25
"""Seconds an address has before the next is tried beside it (RFC 8305, section 5)."""

_UNDER_WAY = {errno.EINPROGRESS, errno.EWOULDBLOCK}


def dial(addresses: Sequence[Address], seconds: float, look: Callable[[], object] = lambda: None) -> socket.socket:
    """Return a connected socket; raise TimeoutError, or the OSError of the first address when all refuse.

    `look` is called every now and then: what it raises ends the attempt.
    """
    over = time.monotonic() + seconds
    next_start = 0.0
    waiting = deque(addresses)
    failures: list[OSError] = []
    with selectors.DefaultSelector() as attempts:
        try:
            while waiting or attempts.get_map():
                now = time.monotonic()
                if now >= over:
                    raise TimeoutError
                if waiting and (now >= next_start or not attempts.get_map()):
                    next_start = now + _HEAD_START
                    try:
                        attempts.register(_begin(waiting.popleft()), selectors.EVENT_WRITE)
                    except OSError as error:
                        failures.append(error)
                    continue
                until = min(over, next_start) if waiting else over
                look()
                for key, _ in attempts.select(min(until - now, TICK)):
                    sock: socket.socket = key.fileobj  # type: ignore[assignment]  # only sockets are registered
                    attempts.unregister(sock)
                    code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                    if code == 0:
                        return sock
                    sock.close()
                    failures.append(OSError(code, os.strerror(code)))
        finally:
            for key in list(attempts.get_map().values()):
                key.fileobj.close()  # type: ignore[union-attr]  # only sockets are registered
    raise failures[0] if failures else OSError(errno.EADDRNOTAVAIL, "the name has no address")


def _begin(address: Address) -> socket.socket:
    family, where = address
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        # Small requests go out at once instead of waiting for the acknowledgement of the one before.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        code = sock.connect_ex(where)
        if code and code not in _UNDER_WAY:
            raise OSError(code, os.strerror(code))
    except BaseException:
        sock.close()
        raise
    return sock
