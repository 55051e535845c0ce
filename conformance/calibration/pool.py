"""Many trials over the cores of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing, contextmanager

from conformance.calibration.recordings import attempt
from conformance.calibration.run_one import Job, Trial
from conformance.calibration.twins import TWINS

OnDone = Callable[[Trial], None]


def attempt_all(
    jobs: Iterable[Job], *, workers: int, on_done: OnDone = lambda _: None, read: bool = True
) -> list[Trial]:
    """Make every trial, `workers` at a time, and return them in the order of `jobs`.

    `on_done` receives each trial at its end. With one worker everything happens in this process. Without `read` no
    recording of an earlier trial is judged in its place.
    """
    wanted = list(jobs)
    done: dict[Job, Trial] = {}
    # Closed at once, so that no trial continues after an interruption.
    here = (attempt(job, read=read) for job in wanted)
    with closing(here if workers == 1 else _elsewhere(wanted, workers, read)) as trials:
        for trial in trials:
            done[trial.job] = trial
            on_done(trial)
    return [done[job] for job in wanted]


def _elsewhere(jobs: list[Job], workers: int, read: bool) -> Generator[Trial, None, None]:
    # A fresh interpreter for each worker: a forked one would share the locks and threads of this process.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin) as pool:
        try:
            with _ctrl_c_withheld():  # the workers start, and inherit it
                # Long trials first, so that no core waits at the end for a long trial that began last: twins have the
                # longest lists and the highest limits.
                in_order = sorted(jobs, key=lambda job: job.name not in TWINS)
                futures = [pool.submit(attempt, job, read=read) for job in in_order]
            yield from (future.result() for future in as_completed(futures))
        finally:
            # Only a shutdown that waits for the running trials cancels the others.
            pool.shutdown(cancel_futures=True)


@contextmanager
def _ctrl_c_withheld() -> Iterator[None]:
    """Withhold Ctrl-C from processes that start in this context; this one gets it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Leave Ctrl-C to the parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
