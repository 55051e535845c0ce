"""Calls that do not wait for one another: a few at a time, or all released together."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import Context, ContextVar
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Final, Generic, TypeVar

_T = TypeVar("_T")

_LONGEST_WAIT: Final = 10.0
"""Seconds after which a call no longer waits for the others at the gate."""


class _Worker(threading.Thread):
    """A thread that is used again: to start one takes longer than a call does."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.start()

    def run(self) -> None:
        """Do what is asked, for ever."""
        while True:
            self.tasks.get()()


_idle: list[_Worker] = []


def _at_work(task: Callable[[], None]) -> threading.Event:
    """Have a worker do a task, which raises nothing; return the event that it is over."""
    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()
    over = threading.Event()

    def work() -> None:
        # In a context of its own, for a worker keeps what the task before it has set.
        Context().run(task)
        _idle.append(worker)
        over.set()

    worker.tasks.put(work)
    return over


class Places:
    """Room for so many calls at a time; who is in no hurry gives way to all who wait."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting = 0
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def one(self, *, hurry: bool) -> Iterator[None]:
        """Wait for a place, and keep it meanwhile."""
        with self._changed:
            self._waiting += hurry
            try:
                self._changed.wait_for(lambda: self._free > (0 if hurry else self._waiting))
            finally:
                self._waiting -= hurry
            self._free -= 1
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()


class Lanes(Generic[_T]):
    """Calls under way, at most `width` at a time; with a width of 0 they are made one by one before this returns.

    All of them are made whatever one raises, so that what is asked does not depend on the machine's speed. None is made
    before all those that they come `after` are over.
    """

    def __init__(self, calls: Sequence[Callable[[], _T]], *, width: int, after: Lanes[_T] | None = None) -> None:
        self._calls = calls
        self._after = after
        self._returned: dict[int, _T] = {}
        self._raised: dict[int, BaseException] = {}
        self._waiting = iter(range(len(calls)))
        self._cut = threading.Event()
        # The caller's thread makes none of them beside others: an interrupt reaches it whatever is under way.
        self._lanes = [_at_work(self._lane) for _ in range(min(width, len(calls)))]
        if not width:
            self._lane()

    def results(self) -> list[_T]:
        """Wait for all, and return what they return, in their order; raise the first exception, in their order.

        An interrupt ends it: no further call begins, and what is under way is left to itself.
        """
        try:
            self.wait()
        except BaseException:
            self.cut_short()
            raise
        if self._raised:
            raise self._raised[min(self._raised)]
        return [self._returned[index] for index in range(len(self._calls))]

    def wait(self) -> None:
        """Wait until all are over."""
        for over in self._lanes:
            over.wait()

    def cut_short(self) -> None:
        """Begin no further call."""
        self._cut.set()

    def _lane(self) -> None:
        if self._after is not None:
            self._after.wait()
        while not self._cut.is_set() and (index := next(self._waiting, None)) is not None:
            try:
                self._returned[index] = self._calls[index]()
            except BaseException as error:  # handed to whoever asks for the results
                self._raised[index] = error


def side_by_side(calls: Sequence[Callable[[], _T]], *, width: int) -> list[_T]:
    """Make every call, at most `width` at a time, and return what they return, in their order."""
    return Lanes(calls, width=width if min(width, len(calls)) > 1 else 0).results()


class _Gate:
    """Holds calls back until all have come, one of them has ended without coming, or it is no use to wait longer."""

    def __init__(self, number: int, *, in_turn: bool) -> None:
        self.all_there = threading.Barrier(max(1, number))
        self.gone = [threading.Event() for _ in range(number)]
        self.in_turn = in_turn

    def wait(self, index: int) -> None:
        """Wait to be let go; in turn, the last comes first, as at a barrier."""
        with contextlib.suppress(threading.BrokenBarrierError):
            self.all_there.wait(_LONGEST_WAIT)
        if self.in_turn and index + 1 < len(self.gone):
            self.gone[index + 1].wait(_LONGEST_WAIT)


@dataclass
class _AtGate:
    gate: _Gate
    index: int
    waited: bool = False


_at_gate: ContextVar[_AtGate | None] = ContextVar("at_gate", default=None)


def together(calls: Sequence[Callable[[], _T]], *, in_turn: bool = False) -> list[_T]:
    """Make all calls at the same moment: each in a thread of its own, held back in `ready` until all are ready.

    One that ends without being ready lets the others go. They leave in any order, or `in_turn`: the next one when the
    one before it is `under_way`, or over.
    """
    gate = _Gate(len(calls), in_turn=in_turn)

    def held_back(index: int) -> Callable[[], _T]:
        def approach() -> _T:
            here = _AtGate(gate, index)
            before = _at_gate.set(here)
            try:
                return calls[index]()
            finally:
                if not here.waited:
                    gate.all_there.abort()
                gate.gone[index].set()
                _at_gate.reset(before)

        return approach

    return side_by_side([held_back(index) for index in range(len(calls))], width=len(calls))


def ready() -> bool:
    """Wait, in a call of `together`, until all of them have come here; tell whether this was such a wait."""
    here = _at_gate.get()
    if here is None or here.waited:  # asking again is no part of the race
        return False
    here.waited = True
    here.gate.wait(here.index)
    return True


def in_a_race() -> bool:
    """Tell whether this is asked in a call of `together`."""
    return _at_gate.get() is not None


def under_way() -> None:
    """Say, in a call of `together`, that its question has reached the service: the next may follow."""
    here = _at_gate.get()
    if here is not None:
        here.gate.gone[here.index].set()
