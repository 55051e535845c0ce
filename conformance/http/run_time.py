"""The time of a run: its clock, how much of the time is left for calls, and what ends the run early."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final

from conformance.http.clock import AGREE, Clock
from conformance.http.creations.journal import Journal
from conformance.model.errors import NotDecided
from conformance.model.text import time_in_words
from conformance.model.verdict import Blame

TIME_IS_UP: Final = "the time of the run was over"
"""The error of an exchange that `--max-time` ended."""

REMEDY: Final = (
    "Options that help: --max-time (more time), --deselect (less to ask), --concurrency (more at a time), --timeout "
    "(less waiting for silence)."
)
"""Remedy for a run that is short of time."""

AGAIN: Final = "Find out what refused these calls, such as a firewall or a deployment. Run again, or with --rate."
"""Remedy for a run that an outage ended."""

_FOR_REPORT: Final = (5.0, 1 / 12)
"""Most seconds, and share of the time, that are kept for judging the exchanges and writing the report."""


class RunTime:
    """The clock of a run, which nothing sets, and the seconds that the run may take (None for no limit).

    Machines correct their wall clock, also while a run goes on: the moment at which the run began counts, and the
    seconds since. The end of the time is kept for deleting the requests of the run: one answer of the slowest kind for
    each round of deletions and one more, but at most half of the time. Safe to use from several threads.
    """

    def __init__(
        self, clock: Clock, limit: float | None, journal: Journal, *, concurrency: int, began: float | None = None
    ) -> None:
        """Count the time from `began`, in seconds of `clock`, or from now."""
        self.limit = limit
        self.stopped = False
        """Whether a signal asked the run to end: every call raises KeyboardInterrupt from then on."""
        self.cleaning = False
        """Whether only the clean-up is left, which neither a signal nor the time for calls ends."""
        self.ended: NotDecided | None = None
        """Why calls were not made, or not awaited: the time was over, or an outage ended the run."""
        self._is_over = False
        self.slowest = 0.0
        """Seconds of the longest exchange so far."""
        self._is_cut_off = False
        self._clock = clock
        self._journal = journal
        self._concurrency = concurrency
        self._first_moment, self._start = clock.now(), clock.seconds()
        self._ahead = timedelta()
        self._began = self._start if began is None else began
        most, share = _FOR_REPORT
        self._for_report = 0.0 if limit is None else min(most, limit * share)

    def now(self) -> datetime:
        """Return the moment, in UTC."""
        moment = self._first_moment + timedelta(seconds=self._clock.seconds() - self._start)
        self._ahead = max(self._ahead, self._clock.now() - moment, key=abs)
        return moment

    @cached_property
    def was_set(self) -> float:
        """By how many seconds the wall clock of this machine was set, if by more than `AGREE`; negative if back.

        The evidence has the number of the first time that this is asked, for all checks that read it.
        """
        return self._ahead.total_seconds() if abs(self._ahead) > AGREE else 0.0

    def seconds(self) -> float:
        """Return the seconds of the clock."""
        return self._clock.seconds()

    def sleep(self, seconds: float, /) -> None:
        """Let time pass.

        Raises KeyboardInterrupt once the run is stopped, and NotDecided if its time would end before.
        """
        if seconds >= self.left():
            raise self.undecided()
        self._clock.sleep(seconds, lambda: self.is_interrupted)
        self.raise_if_stopped()

    def left(self, *, clean_up: bool = False, creates: bool = False) -> float:
        """Return the seconds left for an exchange that begins now; 0 or less if it must not begin.

        A creation begins only if there is time for its answer and its deletion.
        """
        clean_up |= self.cleaning
        if self._is_cut_off and not clean_up:
            return 0.0
        if self.limit is None:
            return math.inf
        left = self._began + self.limit - self._clock.seconds()
        if clean_up:  # a report that comes late is the smaller evil
            return left - self._for_report / 2
        held = len(self._journal.live) + self._journal.pending + creates
        rounds = -(-held // self._concurrency) + 1 if held else 0
        return left - self._for_report - min(rounds * self.slowest, self.limit / 2) - self.slowest * creates

    def is_over(self) -> bool:
        """Tell whether no time is left for a check, or for a search for calls: from then on none begins."""
        if not self._is_over and self.left() <= 0:
            self._is_over = True
            self.undecided()
        return self._is_over

    @property
    def is_interrupted(self) -> bool:
        """Whether calls in progress are given up because of a signal."""
        return self.stopped and not self.cleaning

    def raise_if_stopped(self) -> None:
        """Raise KeyboardInterrupt if a signal asked the run to end."""
        if self.is_interrupted:
            raise KeyboardInterrupt

    def cut_off(self, why: str) -> None:
        """End the run but for its clean-up, because an outage lasts."""
        if self.ended is None:
            self._is_cut_off = True
            message = f"The run ended before everything was tested: {why}."
            self.ended = NotDecided(message, blame=Blame.NETWORK, remedy=AGAIN)

    def undecided(self) -> NotDecided:
        """Return the exception for checks without time: the same one each time."""
        if self.ended is None:
            limit = time_in_words(self.limit or 0)
            message = f"The time of the run, {limit}, was over before everything was tested."
            self.ended = NotDecided(message, blame=Blame.CONFIGURATION, remedy=REMEDY)
        return self.ended
