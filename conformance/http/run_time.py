"""The time of a run: how much of it is left for calls, and what ends it early."""

from __future__ import annotations

import math
import threading
from datetime import datetime
from functools import cached_property
from typing import Final

from conformance.http.clock import RunClock
from conformance.http.creations.journal import Journal
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.model.text import time_in_words
from conformance.model.verdict import Blame

TIME_IS_UP: Final = "the time of the run was over"
"""The error of an exchange that `--max-time` ended."""

REMEDY: Final = (
    "Options that help: --max-time (more time), --deselect (less to ask), --concurrency (more at a time), --timeout "
    "(less waiting for silence)."
)
"""Remedy for a run that is short of time."""

_QUICK: Final = 1.0
"""Seconds on average, up to which the exchanges of a run are not the cause of its lack of time."""

_LONGEST_REPORT: Final = 3.0
"""Seconds kept for judging the exchanges and writing the report, unless the machine is slow or the run long."""

_LATER_LOAD: Final = (1 / 12, 10.0)
"""The share of the time that is kept at least, up to these seconds: the machine may be busier at the end."""

_PAGES: Final = 2
"""How much longer than judging the rendering of pages takes: their templates have to be loaded."""

_FOR_CHECKS: Final = 1 / 20
"""The share of the time that is kept for checks that make no more calls."""

_AT_THE_END: Final = 2.0
"""How much longer large bodies take at the end than when they are received, where only the new ones are looked at."""


class RunTime:
    """The clock of a run, with the seconds that the run may take (None for no limit).

    The end of that time is reserved for deleting the requests of the run: one answer of the slowest kind for each round
    of deletions and one more, but at most half of the time. Safe to use from several threads.
    """

    def __init__(
        self,
        clock: RunClock,
        limit: float | None,
        journal: Journal,
        *,
        concurrency: int,
        rate: float | None,
        began: float | None = None,
    ) -> None:
        """Count the time from `began`, in seconds of `clock`, or from now."""
        self.limit = limit
        self.stopped = False
        """Whether a signal asked the run to end: every call raises KeyboardInterrupt from then on."""
        self.cleaning = False
        """Whether only the clean-up is left, which neither a signal nor the time for calls ends."""
        self.ran_out = False
        """Whether a call was not made, or not awaited, because the time was over, or an outage ended the run."""
        self.why_it_ended = "The time of the run was over before everything was tested."
        """Why the run ended early, if it did."""
        self._is_cut_off = False
        self.ended_before = ""
        """The first check or search for calls that did not begin because no time was left; from then on none begins."""
        self._clock = clock
        self._journal = journal
        self._concurrency = concurrency
        self._rate = rate
        now = 0.0 if limit is None else clock.seconds()
        self._began = now if began is None else began
        self._judging_since = now
        # A machine that takes long to load the suite also takes long to write the report.
        self._for_report = 0.0
        if limit is not None:
            share, most = _LATER_LOAD
            usual = max(_LONGEST_REPORT, min(limit * share, most))
            self._for_report = min(max(usual, 2 * (now - self._began)), limit / 3)
        self._lock = threading.Lock()
        self._exchanges = 0
        self._answering = 0.0
        """Seconds that all exchanges took, added up."""
        self._unanswered = 0.0
        """The share of those that got no answer."""
        self._slowest = 0.0
        self._on_large = 0.0
        """Seconds that the run spent on large bodies after it had received them."""
        self._over = ("", Blame.TARGET, REMEDY)
        """Message, blame and remedy for checks whose calls were not made."""

    def now(self) -> datetime:
        """Return the moment, in UTC."""
        return self._clock.now()

    @cached_property
    def was_set(self) -> float:
        """By how many seconds the wall clock of this machine was set until this was first asked; negative if back.

        The evidence has this number, for all checks that read it.
        """
        return self._clock.was_set.total_seconds()

    def seconds(self) -> float:
        """Return the seconds of the clock."""
        return self._clock.seconds()

    def sleep(self, seconds: float, /) -> None:
        """Let time pass.

        Raises KeyboardInterrupt once the run is stopped, and NotDecided if its time would end before.
        """
        if not self.reaches(seconds):
            raise self.undecided()
        self._clock.sleep(seconds, lambda: self.is_interrupted)
        self.raise_if_stopped()

    def left(self) -> float:
        """Return the seconds left for exchanges of any kind."""
        if self.limit is None:
            return math.inf
        return self._began + self.limit - self._for_report - self._clock.seconds()

    def spent_on_large(self, seconds: float) -> None:
        """Note how long a large body took: judging and writing it at the end take as long again."""
        with self._lock:
            self._on_large += seconds

    def left_for_checks(self, *, creating: int = 0) -> float:
        """Return the seconds left for other calls than deletions, if `creating` more requests have to be deleted."""
        if self._is_cut_off:
            return 0.0
        if self.limit is None:
            return math.inf
        held = len(self._journal.live) + self._journal.pending + creating
        rounds = -(-held // self._concurrency)
        of_large = min(_AT_THE_END * self._on_large, self.limit / 2)
        return self.left() - of_large - min((rounds + 1) * self._slowest if held else 0.0, self.limit / 2)

    def reaches(self, seconds: float) -> bool:
        """Tell whether there is time for this wait."""
        return self.limit is None or seconds < (self.left() if self.cleaning else self.left_for_checks())

    def allowed(self, *, clean_up: bool = False, creates: bool = False) -> float:
        """Return how many seconds an exchange may take that begins now; 0 or less if it must not begin."""
        if clean_up:  # a report that comes late is the smaller evil
            return self.left() + self._for_report / 2
        # A creation begins only if there is time for its answer and its deletion.
        left = self.left_for_checks(creating=creates) - (self.limit or 0.0) * _FOR_CHECKS
        return left - (self._slowest if creates else 0.0)

    def is_over(self, check: str) -> bool:
        """Tell whether no time is left for a check, or for a search for calls: from then on none begins."""
        if not self.ended_before and self._is_over(check):
            self.ended_before = check
        return bool(self.ended_before)

    def raise_if_over(self, check: str) -> None:
        """Raise NotDecided if there is no time for a check, or a search for calls, that is about to begin."""
        if self.is_over(check):
            raise self.undecided()

    def judging(self) -> None:
        """Note that the calls are over and that judging them begins."""
        self._judging_since = self._clock.seconds()

    @property
    def suffices_for_pages(self) -> bool:
        """Whether time is left to render pages once the run is judged."""
        if self.limit is None:
            return True
        now = self._clock.seconds()
        return now + _PAGES * (now - self._judging_since) < self._began + self.limit

    def _is_over(self, _check: str) -> bool:
        return self.left_for_checks() <= 0

    @property
    def is_interrupted(self) -> bool:
        """Whether calls in progress are given up because of a signal."""
        return self.stopped and not self.cleaning

    def raise_if_stopped(self) -> None:
        """Raise KeyboardInterrupt if a signal asked the run to end."""
        if self.is_interrupted:
            raise KeyboardInterrupt

    def note(self, exchange: Exchange) -> None:
        """Add the duration of an exchange."""
        with self._lock:
            self._exchanges += 1
            self._answering += exchange.seconds
            self._unanswered += exchange.seconds if exchange.response is None else 0.0
            self._slowest = max(self._slowest, exchange.seconds)

    @property
    def blame(self) -> Blame:
        """The cause of the lack of time."""
        # Where exchanges are quick, the time is short for the run or for this machine.
        if self._mean < max(_QUICK, 1 / self._rate if self._rate else 0.0):
            return Blame.CONFIGURATION
        return Blame.NETWORK if self._unanswered > self._answering / 2 else Blame.TARGET

    def cut_off(self, why: str, blame: Blame, remedy: str) -> None:
        """End the run but for its clean-up, because an outage lasts."""
        if not self.ran_out:
            self.ran_out = self._is_cut_off = True
            self._over = f"The run ended before this was tested: {why}.", blame, remedy
            self.why_it_ended = f"The run ended before everything was tested: {why}."

    def undecided(self) -> NotDecided:
        """Return the exception for checks without time: the same one each time."""
        if not self.ran_out:
            self.ran_out = True
            self._over = (
                f"The time of the run, {time_in_words(self.limit or 0)}, ended before this was tested: an "
                f"exchange took {time_in_words(self._mean)} on average, at the service, on the network and on this "
                "machine together.",
                self.blame,
                REMEDY,
            )
        message, blame, remedy = self._over
        return NotDecided(message, blame=blame, remedy=remedy)

    @property
    def _mean(self) -> float:
        return self._answering / max(1, self._exchanges)
