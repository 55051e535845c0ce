"""Dispatches the calls of a session: in parallel, in a race, or in the background, in an order that a run repeats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import partial
from itertools import islice
from threading import Thread
from typing import TypeVar

from conformance.http import concurrency
from conformance.http.creations.journal import Journal
from conformance.http.record import Record

_T = TypeVar("_T")


class Dispatcher:
    """Makes calls in several threads; the ids of their exchanges are reserved first, so that the record is repeatable.

    `width` is the most parallel calls at a time. `in_turn` makes them one after another and starts racing calls in a
    fixed order.
    """

    def __init__(self, record: Record, journal: Journal, *, width: int, in_turn: bool) -> None:
        self.record = record
        self.journal = journal
        self._in_turn = in_turn
        self._width = 1 if in_turn else width
        self._background: Thread | None = None

    def parallel(
        self, calls: Sequence[Callable[[], _T]], *, each: int | Sequence[int] = 1, at_most: int | None = None
    ) -> list[_T]:
        """Make independent calls, as many at a time as the budget's concurrency and `at_most` allow.

        `each` is the most exchanges of each call: their ids are reserved here, so that the record has the caller's
        order. A call must not draw from `chance`, unless it is attributed to a name of its own.
        """
        return concurrency.parallel(self._numbered(calls, each), width=min(self._width, at_most or self._width))

    def race(self, calls: Sequence[Callable[[], _T]]) -> list[_T]:
        """Make calls of one exchange each that are sent at one moment."""
        return concurrency.race(self._numbered(calls), in_turn=self._in_turn)

    def start_background(self, work: Callable[[], None], *, calls: int) -> None:
        """Start `work`, of at most `calls` calls, in a thread; without concurrency do it at once.

        `work` changes nothing at the service and raises nothing.
        """
        ids = self.record.reserve(calls)

        def numbered() -> None:
            with self.record.numbered(ids):
                work()

        if self._width <= 1:
            numbered()
            return
        self._background = Thread(target=copy_context().run, args=[numbered], daemon=True)
        self._background.start()

    def end_background(self) -> None:
        """Wait until the background work is over."""
        if self._background is not None:
            self._background.join()

    def _numbered(self, calls: Sequence[Callable[[], _T]], each: int | Sequence[int] = 1) -> list[Callable[[], _T]]:
        most = [each] * len(calls) if isinstance(each, int) else each
        ids = iter(self.record.reserve(sum(most)))
        own = [list(islice(ids, number)) for number in most]
        group = next((one[0] for one in own if one), "")

        def numbered(index: int) -> _T:
            with self.record.numbered(own[index], f"{group}#{index}" if len(calls) > 1 else ""):
                return calls[index]()

        return [partial(numbered, index) for index in range(len(calls))]
