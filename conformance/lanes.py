"""Calls that do not wait for one another: a few at a time, or all released together."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Final, TypeVar

_T = TypeVar("_T")

_LONGEST_WAIT: Final = 10.0
"""Seconds after which a call no longer waits for the others at the gate."""

_gate: ContextVar[threading.Barrier | None] = ContextVar("gate", default=None)


def side_by_side(calls: Sequence[Callable[[], _T]], *, width: int) -> list[_T]:
    """Make every call, at most `width` at a time, and return what they return, in their order.

    All of them are made whatever one raises, so that what is asked does not depend on the machine's speed; then the
    first exception, in their order, is raised. An interrupt ends it: what is under way is left to itself.
    """
    returned: dict[int, _T] = {}
    raised: dict[int, BaseException] = {}
    waiting = iter(range(len(calls)))
    ended = threading.Event()

    def lane() -> None:
        while not ended.is_set() and (index := next(waiting, None)) is not None:
            try:
                returned[index] = calls[index]()
            except Exception as error:  # handed to the caller below, whatever it is
                raised[index] = error

    # This thread only waits, unless there is nothing to share out: it is the one that an interrupt has to reach.
    lanes = min(width, len(calls))
    threads = [threading.Thread(target=lane, daemon=True) for _ in range(lanes if lanes > 1 else 0)]
    try:
        for thread in threads:
            thread.start()
        if not threads:
            lane()
        for thread in threads:
            thread.join()
    finally:
        ended.set()
    if raised:
        raise raised[min(raised)]
    return [returned[index] for index in range(len(calls))]


def together(calls: Sequence[Callable[[], _T]]) -> list[_T]:
    """Make all calls at the same moment: each in a thread of its own, held back in `ready` until all are ready.

    One that ends without being ready lets the others go.
    """
    gate = threading.Barrier(max(1, len(calls)))

    def held_back(call: Callable[[], _T]) -> Callable[[], _T]:
        def approach() -> _T:
            before = _gate.set(gate)
            try:
                return call()
            finally:
                if _gate.get() is not None:
                    gate.abort()
                _gate.reset(before)

        return approach

    return side_by_side([held_back(call) for call in calls], width=len(calls))


def ready() -> bool:
    """Wait, in a call of `together`, until all of them have come here; tell whether this was such a wait."""
    gate = _gate.get()
    if gate is None:
        return False
    _gate.set(None)  # asking again is no part of the race
    with contextlib.suppress(threading.BrokenBarrierError):
        gate.wait(_LONGEST_WAIT)
    return True
