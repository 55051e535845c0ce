"""Which run is when: at most one for each origin at a time, and what the network prevented again after the others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, wait
from dataclasses import replace
from typing import Final

from conformance.fleet.audit.one_run import Job, Stop, cut_short
from conformance.fleet.audit.result import Result, State

_TICK: Final = 0.2
"""Seconds between two looks at the state of the runs."""
RETRIES: Final = 2
PAUSE: Final = 30.0
"""Seconds before the runs that the network prevented are made again: many networks recover meanwhile."""


class Listener:
    """What happens to the runs of an audit, for a display. This one shows nothing."""

    def done(self, found: Result, *, again: bool) -> None:
        """A run has ended; it is made `again` later."""


def results(
    jobs: Iterable[Job],
    run: Callable[[Job, Stop], Result],
    executor: Executor,
    stop: Stop,
    listener: Listener,
    *,
    retries: int = RETRIES,
) -> list[Result]:
    """Make the runs, and return the last result of each; those that an interruption prevented are missing.

    The executor decides how many of them are in progress at a time. What the network prevented is tried again
    `retries` times, each time after all others and a pause.
    """
    last: dict[str, Result] = {}
    todo = list(jobs)
    for left in reversed(range(retries + 1)):
        again = []
        for job, found in _round(todo, run, executor, stop, listener, last_round=not left):
            known = last.get(found.name)
            # A report is better than none, also if an earlier attempt wrote it.
            if known is None or found.is_finished or not known.is_finished:
                last[found.name] = found
            if _may_be_reached_later(found):
                again.append(replace(job, attempt=job.attempt + 1))
        todo = again
        if not todo or not left or not _paused(stop):
            break
    return list(last.values())


def _round(
    jobs: list[Job],
    run: Callable[[Job, Stop], Result],
    executor: Executor,
    stop: Stop,
    listener: Listener,
    *,
    last_round: bool,
) -> list[tuple[Job, Result]]:
    """Make each run once; return those that were made, with their results.

    The runs of an origin are one task of the executor, which makes one after another. The origin with the most targets
    comes first: its runs take longest together.
    """
    origins: dict[str, list[Job]] = {}
    for job in jobs:
        origins.setdefault(job.target.origin, []).append(job)
    made: list[tuple[Job, Result]] = []
    ending = threading.Lock()

    def of_origin(jobs: list[Job]) -> None:
        unclear: set[str] = set()  # the addresses at which a run left something
        for job in jobs:
            if stop():
                return
            url = job.target.base_url
            job = replace(job, is_unclear=job.is_unclear or url in unclear)
            found = _result(run, job, stop)
            if found.left_behind or found.not_found:
                unclear.add(url)
            with ending:
                listener.done(found, again=not last_round and _may_be_reached_later(found))
                made.append((job, found))

    tasks = [executor.submit(of_origin, some) for some in sorted(origins.values(), key=len, reverse=True)]
    while wait(tasks, _TICK).not_done:  # so that a signal is handled meanwhile, on each system
        pass
    for each in tasks:
        each.result()
    return made


def _result(run: Callable[[Job, Stop], Result], job: Job, stop: Stop) -> Result:
    """Make a run. Its failure, on this machine such as a full disk, or of a cluster, ends no other run."""
    try:
        return run(job, stop)
    except Exception as error:
        return cut_short(job, State.BROKEN, f"{type(error).__name__}: {error}")


def _may_be_reached_later(found: Result) -> bool:
    return found.state is State.UNREACHABLE or found.network


def _paused(stop: Stop) -> bool:
    """Wait before the next attempts; return False, earlier, when the audit is interrupted."""
    until = time.monotonic() + PAUSE
    while time.monotonic() < until and not stop():
        time.sleep(min(_TICK, max(0.0, until - time.monotonic())))
    return not stop()
