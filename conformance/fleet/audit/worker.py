"""What a worker of a cluster does for an audit: a run in a process of its own, as on the machine of the audit.

The folder of the audit is shared: journals, evidence and reports are files there. Only a small result goes back through
the scheduler, with a digest of these files. No token goes either way: the worker gets it from the source that the
target names.
"""

from __future__ import annotations

import hashlib
import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import current_process
from pathlib import Path
from typing import IO, Any, Final

from conformance.fleet.audit.one_run import CLEAN_UP, GRACE, STARTING, Job, Stop, cut_short, run_target, without_report
from conformance.fleet.audit.result import Result, State, of_folder
from conformance.fleet.audit.sources import missing
from conformance.http.creations import journal_file
from conformance.http.creations.locks import lock
from conformance.model.build import build

_TICK: Final = 0.1
"""Seconds between two attempts to claim the folders of a run."""


@dataclass(frozen=True)
class Terms:
    """What a worker has to have in common with the audit."""

    build: str
    lock: Path
    """The file in the shared folder that the audit keeps locked."""
    place: Path
    """The folder of the targets file, in which commands begin."""


class Unfit(Exception):
    """A worker that cannot make runs of an audit; the message says why."""


def demand_fit(terms: Terms) -> None:
    """Raise Unfit if this worker cannot make runs of an audit."""
    if terms.build != build():
        raise Unfit(f"it has another build of the suite ({build()}, the audit has {terms.build}).")
    try:
        if not journal_file.is_in_progress(terms.lock):
            raise Unfit(
                f"it can lock {terms.lock}, which the audit has locked. Either this is another folder, or its file "
                "system has no locks between machines."
            )
    except OSError as error:
        raise Unfit(f"it cannot open {terms.lock} of the audit ({error.strerror or error}).") from None
    if not terms.place.is_dir():
        raise Unfit(f"it has no folder {terms.place}, which has the file of the targets.")


def attend(terms: Terms, dask_worker: Any) -> None:
    """Do what `demand_fit` does, and see to it that this worker ends once it closes."""
    _attend(dask_worker)
    demand_fit(terms)


def run_here(job: Job, terms: Terms) -> tuple[Result, str]:
    """Make the run on this worker; return its result, and the digest of the files of a finished one. Raise Unfit.

    A run whose audit has gone or does not want it any more, or whose worker closes, is interrupted.
    """
    _at_work.append(job)
    current_process().daemon = False  # below a nanny of Dask it is a daemon, which may not start a process
    try:
        demand_fit(terms)
        found = _made_here(job)
        return found, digest_of(job.final) if found.is_finished else ""
    finally:
        _at_work.remove(job)


_at_work: Final[list[Job]] = []
"""The runs in progress on this worker."""


def _made_here(job: Job) -> Result:
    with STARTING:
        unset = missing(job.target.tokens)
    if unset:
        reason = f"The worker on {socket.gethostname()} has no value for {', '.join(unset)}. Set it on all workers."
        return without_report(job, State.NOT_RUN, reason)
    stop = _stop()
    with claimed(job, stop) as free:
        if not free:
            state = State.INTERRUPTED if stop() else State.BROKEN
            return cut_short(job, state, "An earlier run of this target is in progress on another worker.")
        return _known(job) or run_target(job, stop)


def _known(job: Job) -> Result | None:
    """Return the result of this very attempt, if another worker finished it and ended before the audit heard of it."""
    found = of_folder(job.final)
    is_this = found and (found.definition, found.attempts) == (job.target.digest, job.attempt)
    return found if is_this else None


@contextmanager
def claimed(job: Job, stop: Stop) -> Iterator[bool]:
    """Claim the folders of a run; yield whether that succeeded in the time that an earlier run has for its clean-up.

    A worker that Dask takes for dead may still be at work in them.
    """
    path = job.work.with_name(f".{job.work.name}.lock")  # no target has such a name
    path.parent.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + GRACE + CLEAN_UP
    while time.monotonic() < until and not stop():
        with path.open("ab") as file:
            if lock(file, exclusive=True) and _is_file(path, file):
                try:
                    yield True
                finally:
                    path.unlink()
                return
        time.sleep(_TICK)
    yield False


def _is_file(path: Path, file: IO[bytes]) -> bool:
    """Tell whether an open file still has its name: the worker that had it locked removes it."""
    with suppress(OSError):
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    return False


def _stop() -> Stop:
    """Return what tells whether this run has to stop: the audit cancelled it or has gone, or this worker closes."""
    from distributed import Status, get_worker

    worker: Any = get_worker()
    key, is_open = worker.get_current_task(), (Status.running, Status.paused)
    _attend(worker)

    def stop() -> bool:
        task = worker.state.tasks.get(key)
        return worker.status not in is_open or task is None or task.state == "cancelled"

    return stop


_CLOSES: Final = 10.0
"""Seconds that Dask has to end a worker without runs; it takes two at most."""

_attended: Final[set[str]] = set()
"""The identifiers of the workers that are watched."""


def _attend(worker: Any) -> None:
    if worker.id not in _attended:
        _attended.add(worker.id)
        threading.Thread(target=_end, args=(worker,), daemon=True).start()


def _end(worker: Any) -> None:
    """Let a worker that closes end when its runs are over.

    A signal that comes while it closes, because its scheduler has gone, interrupts that. Then Dask waits without end
    for the worker to have closed.
    """
    from distributed.core import Server, Status

    over = (Status.closing, Status.closed, Status.failed)
    while worker.status not in over or _at_work:
        time.sleep(_TICK)
    time.sleep(_CLOSES)
    if worker.status is not Status.closing:
        return
    logging.getLogger("distributed.worker").warning("The worker was interrupted while it closed. It ends now.")
    worker.loop.add_callback(Server.close, worker)


def digest_of(folder: Path) -> str:
    """Return the digest of the names and contents of all files below a folder."""
    found = hashlib.sha256()
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        found.update(f"{content}  {path.relative_to(folder).as_posix()}\n".encode())
    return f"sha256:{found.hexdigest()}"
