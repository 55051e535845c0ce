"""Names to addresses: in bounded time, once, and the same for the whole run."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from itertools import chain, zip_longest
from typing import Any

from conformance.wire.meter import TICK
from conformance.wire.trouble import NoAnswer, Trouble

Address = tuple[int, Any]
"""Address family, and what `socket.connect` takes for it."""

_PER_FAMILY = 2


class Resolver:
    """Remembers the addresses of each name, so that a name cannot come to mean another host in the middle of a run."""

    def __init__(self) -> None:
        """Know no address yet."""
        self._lock = threading.Lock()
        self._lookups: dict[tuple[str, int], Future[list[Address]]] = {}

    def addresses(
        self, host: str, port: int, seconds: float, look: Callable[[], object] = lambda: None
    ) -> list[Address]:
        """Return at most two addresses per family, families in turn; raise NoAnswer (dns), or what `look` raises.

        `look` is called every now and then while the name is looked up.
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
            raise NoAnswer(Trouble.DNS, f"the name {host} was not resolved within {seconds:.3g} s") from None
        except (OSError, UnicodeError) as error:
            with self._lock:
                if self._lookups.get(key) is lookup:
                    del self._lookups[key]
            reason = error.strerror if isinstance(error, OSError) else "not a host name"
            raise NoAnswer(Trouble.DNS, f"the name {host} was not resolved: {reason}") from error

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
