"""Calls that do not wait for one another: a few at a time, or all released together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

_T = TypeVar("_T")


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

    lanes = min(width, len(calls))
    if lanes == 1:
        lane()
    else:
        # The caller's thread makes no call: an interrupt reaches it whatever is under way.
        threads = [threading.Thread(target=lane, daemon=True) for _ in range(lanes)]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            ended.set()
    if raised:
        raise raised[min(raised)]
    return [returned[index] for index in range(len(calls))]


def together(calls: Sequence[Callable[[], _T]]) -> list[_T]:
    """Make all calls at the same moment: each in a thread of its own that waits until all of them are ready."""
    gate = threading.Barrier(max(1, len(calls)))

    def released(call: Callable[[], _T]) -> Callable[[], _T]:
        def wait_and_call() -> _T:
            gate.wait()
            return call()

        return wait_and_call

    return side_by_side([released(call) for call in calls], width=len(calls))
