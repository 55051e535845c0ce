"""Calls in several threads: parallel calls, of which a few run at a time, and races, which start at one moment.

What belongs to the calls of one thread holds in the threads that it starts too.
"""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from conformance.model.exchange import Exchange

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Here:
    """What holds for the exchanges of one thread, and of the threads that it starts."""

    check: str = ""
    chance: random.Random | None = None
    own: list[Exchange] | None = None
    """The exchanges of the scenario that runs here."""
    beside: str = ""
    runner: _Runner | None = None
    """The call of a race that runs here."""


_here: ContextVar[_Here] = ContextVar("here", default=_Here())  # noqa: B039 - frozen


def here() -> _Here:
    """Return what holds for the exchanges of this thread."""
    return _here.get()


@contextlib.contextmanager
def changed(**changes: Any) -> Iterator[None]:
    """Change what holds for the exchanges of this thread."""
    before = _here.set(replace(_here.get(), **changes))
    try:
        yield
    finally:
        _here.reset(before)


def parallel(calls: Sequence[Callable[[], _T]], *, width: int, groups: Iterator[int]) -> list[_T]:
    """Make every call, at most `width` at a time, and return the results in the order of the calls.

    Several calls are one group in the record, with the next number of `groups`.
    Every call is made even if another one raises, so that the requests of a run do not depend on the speed of the
    machine. Then the first exception, in the order of the calls, is raised. An interrupt cancels the calls that have
    not begun.
    """
    if len(calls) > 1:
        group = next(groups)
        calls = [partial(_at, f"g{group}#{place}", call) for place, call in enumerate(calls)]
    pool = ThreadPoolExecutor(max(1, min(width, len(calls))))
    try:
        futures = [pool.submit(copy_context().run, call) for call in calls]
        wait(futures)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return [each.result() for each in futures]


def _at(place: str, call: Callable[[], _T]) -> _T:
    with changed(beside=place):
        return call()


class _Runner:
    """One call of a race: it waits at the barrier for the others, once, and then for the one that starts before it."""

    def __init__(self, barrier: threading.Barrier, before: threading.Event | None) -> None:
        self.started = threading.Event()
        """Set when the request of this call has reached the service, or the call is over."""
        self._barrier = barrier
        self._before = before
        self._ready = False

    def ready(self) -> None:
        if self._ready:  # a second request of the same call is no part of the race
            return
        self._ready = True
        with contextlib.suppress(threading.BrokenBarrierError):
            self._barrier.wait()
        if self._before is not None:
            self._before.wait()

    def run(self, call: Callable[[], _T]) -> _T:
        try:
            with changed(runner=self):
                return call()
        finally:
            if not self._ready:
                self._barrier.abort()
            self.started.set()


def race(calls: Sequence[Callable[[], _T]], *, in_turn: bool, groups: Iterator[int]) -> list[_T]:
    """Make all calls at the same moment: each in a thread of its own, held in `ready` until all are ready.

    A call that ends without being ready releases the others. With `in_turn` the last call starts first, and each
    further one starts when the one before it is `under_way` or over.
    """
    barrier = threading.Barrier(max(1, len(calls)))
    runners: list[_Runner] = []
    for _ in calls:
        runners.append(_Runner(barrier, runners[-1].started if in_turn and runners else None))
    held = [partial(runner.run, call) for runner, call in zip(reversed(runners), calls, strict=True)]
    try:
        return parallel(held, width=len(held), groups=groups)
    finally:
        barrier.abort()  # an interrupt may come before every call has begun


def ready() -> None:
    """Wait, in a call of a race, until all calls are ready."""
    if (runner := here().runner) is not None:
        runner.ready()


def in_a_race() -> bool:
    """Tell whether this runs in a call of a race."""
    return here().runner is not None


def under_way() -> None:
    """Signal, in a call of a race, that its request has reached the service: with `in_turn` the next one may start."""
    if (runner := here().runner) is not None:
        runner.started.set()
