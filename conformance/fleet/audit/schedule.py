"""Which run is when: at most one for each origin at a time, and what the network prevented again after the others."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import replace
from typing import Final

from conformance.fleet.audit.one_run import Job, Stop, cut_short
from conformance.fleet.audit.result import Result, State

_TICK: Final = 0.2
"""Seconds between two looks at the state of the runs."""


class Listener:
    """What happens to the runs of an audit, for a display. This one shows nothing."""

    def done(self, found: Result, *, again: bool) -> None:
        """A run has ended; it is made `again` later."""

    def pause(self, seconds: float, number: int) -> None:
        """So many runs are made again after a pause."""


def results(
    jobs: Iterable[Job],
    run: Callable[[Job, Stop], Result],
    executor: Executor,
    stop: Stop,
    listener: Listener,
    *,
    workers: int,
    retries: int,
    pause: float,
) -> list[Result]:
    """Make the runs, and return the last result of each; those that an interruption prevented are missing.

    The executor has at most `workers` of them at a time. What the network prevented is tried again `retries` times,
    each time after all others and `pause` seconds.
    """
    last: dict[str, Result] = {}
    todo = list(jobs)
    for left in reversed(range(retries + 1)):
        again = []
        for job, found in _round(todo, run, executor, stop, listener, workers, last_round=not left):
            known = last.get(found.name)
            # A report is better than none, also if an earlier attempt wrote it.
            if known is None or found.is_finished or not known.is_finished:
                last[found.name] = found
            else:
                last[found.name] = replace(known, unclear_since=found.unclear_since)
            if _may_be_reached_later(found):
                again.append(replace(job.after(found), attempt=job.attempt + 1))
        todo = again
        if not todo or not left or not _paused(pause, len(todo), stop, listener):
            break
    return list(last.values())


def _round(
    jobs: list[Job],
    run: Callable[[Job, Stop], Result],
    executor: Executor,
    stop: Stop,
    listener: Listener,
    workers: int,
    *,
    last_round: bool,
) -> Iterable[tuple[Job, Result]]:
    """Make each run once; yield it with its result when it ends.

    The origin with the most targets comes first, and goes on with the next one: its runs take longest together.
    """
    origins: dict[str, deque[Job]] = {}
    for job in jobs:
        origins.setdefault(job.target.origin, deque()).append(job)
    active: dict[Future[Result], Job] = {}
    waiting = deque(sorted(origins.values(), key=len, reverse=True))

    def submit() -> None:
        while waiting and len(active) < workers and not stop.is_set():
            job = waiting.popleft().popleft()
            active[executor.submit(run, job, stop)] = job

    submit()
    while active:
        done, pending = wait(active, _TICK, FIRST_COMPLETED)
        if stop.is_set():
            for future in pending:
                future.cancel()  # only those that have not begun
        for future in done:
            job = active.pop(future)
            if not future.cancelled():
                found = _result(future, job)
                listener.done(found, again=not last_round and _may_be_reached_later(found))
                yield job, found
                _tell_of_accounts(found, origins[job.target.origin])
            if further := origins[job.target.origin]:
                waiting.appendleft(further)
        submit()


def _tell_of_accounts(found: Result, jobs: deque[Job]) -> None:
    """Let further runs of the same service know whether one that ended left something in the accounts."""
    if found.unclear_since:
        for number, job in enumerate(jobs):
            if job.target.base_url == found.base_url:
                jobs[number] = job.after(found)


def _result(future: Future[Result], job: Job) -> Result:
    """Return the result of a run that is over; its failure on this machine, such as a full disk, ends no other run."""
    error = future.exception()
    if error is None:
        return future.result()
    if not isinstance(error, Exception):
        raise error
    return cut_short(job, State.BROKEN, f"{type(error).__name__}: {error}")


def _may_be_reached_later(found: Result) -> bool:
    return found.state is State.UNREACHABLE or found.network


def _paused(seconds: float, number: int, stop: Stop, listener: Listener) -> bool:
    """Wait for so many seconds; return False, earlier, when the audit is interrupted."""
    if seconds and not stop.is_set():
        listener.pause(seconds, number)
    until = time.monotonic() + seconds
    while time.monotonic() < until and not stop.is_set():
        time.sleep(min(_TICK, max(0.0, until - time.monotonic())))
    return not stop.is_set()
