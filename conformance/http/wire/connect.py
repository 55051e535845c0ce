"""From a host name to a TCP connection: look the name up, then dial its addresses."""

from __future__ import annotations

import errno
import os
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from itertools import chain, zip_longest
from typing import Any

from conformance.http.clock import TICK
from conformance.model.exchange import ErrorKind, TransportError

Address = tuple[int, Any]
"""Address family, and what `socket.connect` takes for it."""

_PER_FAMILY = 2


class Resolver:
    """Looks up each name once, so that it means the same host during the whole run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lookups: dict[tuple[str, int], Future[list[Address]]] = {}

    def addresses(
        self, host: str, port: int, seconds: float, look: Callable[[], object] = lambda: None
    ) -> list[Address]:
        """Return at most two addresses per family, families by turns; raise TransportError (dns).

        `look` is called repeatedly meanwhile; its exception ends the wait.
        """
        key = (host, port)
        with self._lock:
            lookup = self._lookups.get(key) or self._begin(key)
        until = time.monotonic() + seconds
        try:
            while not lookup.done() and (left := until - time.monotonic()) > 0:
                look()
                wait([lookup], min(left, TICK))
            return lookup.result(0)
        except TimeoutError:
            raise TransportError(ErrorKind.DNS, f"the name {host} was not resolved within {seconds:.3g} s") from None
        except (OSError, UnicodeError) as error:
            with self._lock:
                if self._lookups.get(key) is lookup:
                    del self._lookups[key]
            reason = error.strerror if isinstance(error, OSError) else "not a host name"
            raise TransportError(ErrorKind.DNS, f"the name {host} was not resolved: {reason}") from error

    def _begin(self, key: tuple[str, int]) -> Future[list[Address]]:
        lookup: Future[list[Address]] = Future()
        self._lookups[key] = lookup
        try:
            # A literal address needs no look-up, and parsing one never blocks.
            lookup.set_result(_choose(socket.getaddrinfo(*key, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)))
        except (OSError, UnicodeError):
            # getaddrinfo knows no timeout: a thread that can be left behind waits for it.
            threading.Thread(target=_look_up, args=(lookup, *key), daemon=True, name=f"resolve {key[0]}").start()
        return lookup


def _look_up(lookup: Future[list[Address]], host: str, port: int) -> None:
    try:
        lookup.set_result(_choose(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
    except Exception as error:
        lookup.set_exception(error)


def _choose(found: Sequence[tuple[Any, ...]]) -> list[Address]:
    families: dict[int, list[Address]] = {}
    for family, _, _, _, address in found:
        rest = families.setdefault(family, [])
        if len(rest) < _PER_FAMILY and (family, address) not in rest:
            rest.append((family, address))
    return [address for address in chain.from_iterable(zip_longest(*families.values())) if address is not None]


_HEAD_START = 0.25
"""Seconds an address has before the next is tried beside it (RFC 8305, section 5)."""

_UNDER_WAY = {errno.EINPROGRESS, errno.EWOULDBLOCK}


def dial(addresses: Sequence[Address], seconds: float, look: Callable[[], object] = lambda: None) -> socket.socket:
    """Return a connected socket; raise TimeoutError, or the OSError of the first address if all refuse.

    `look` is called repeatedly meanwhile; its exception ends the attempt.
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
