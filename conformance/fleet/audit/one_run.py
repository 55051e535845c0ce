"""The run of one target, in a process of its own, as any executor of `concurrent.futures` can call it."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

from conformance.cli.visits import UNUSABLE
from conformance.fleet.audit import child, folders, result
from conformance.fleet.audit.result import EXIT_OF_STATE, Result, State
from conformance.fleet.audit.sources import arguments_of, environment_of
from conformance.fleet.audit.targets import AuditTarget
from conformance.http.creations import journal_file
from conformance.http.creations.remains import Remains, journals, remains_in, remains_of
from conformance.http.processes import end
from conformance.model.printable import as_json
from conformance.model.target import EMPTY_ACCOUNT
from conformance.model.verdict import Exit
from conformance.run.visits import is_on_left_request

_TICK: Final = 0.1
"""Seconds between two looks at whether the audit was interrupted."""

CLEAN_UP: Final = 120.0
"""Seconds that the clean-up of a run may take whose own process could not make it."""

_OF_A_CLEAN_UP: Final = (
    *("--ca-file", "--client-cert", "--client-key", "--proxy", "--header"),
    *("--timeout", "--rate", "--concurrency", "--allow-short-token"),
)
"""The options of a target that a clean-up has as well."""

GRACE: Final = 60.0
"""Seconds that an interrupted run has for its clean-up and its report, until its process is ended."""

MEMORY: Final = 2048
"""MiB of address space of a run: so that a run that goes wrong takes no memory of the others."""

_END: Final = 10.0
"""Seconds until a process that was ended is gone."""

_CONFIRMATION: Final = f"--{EMPTY_ACCOUNT}"

_WITHHELD: Final = (
    "This run was made without the confirmation empty_account: by their journals, earlier runs at this address left "
    "data requests, or did not find them when they deleted them. These may count against the limit. Delete them, with "
    "'drsi-conformance cleanup' and the folder of such a run, or by hand, and then remove that journal."
)

Stop = Callable[[], bool]
"""Tells whether the audit was interrupted."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A run to make: plain data without tokens, which a scheduler may send to another process or machine."""

    target: AuditTarget
    work: Path
    """The folder of the run while it goes on."""
    final: Path
    """The folder of the finished run. It gets this name at once, and whole."""
    place: Path
    """The working directory of the run, where commands of the target begin: the folder of the targets file."""
    deadline: float
    """Seconds until the run is interrupted."""
    withheld: frozenset[str] = frozenset()
    """Variables that are for other runs, or for the audit alone."""
    attempt: int = 1
    is_unclear: bool = False
    """Whether data requests of other runs may be in the accounts, so that nothing confirms that they are empty."""
    left: tuple[Path, ...] = ()
    """The folders of the runs of earlier audits that left a request on purpose, the last one last."""
    unusable: str = ""
    """Why the run cannot go on with any of them."""

    @property
    def is_withheld(self) -> bool:
        """Whether the run is made without the confirmation of its target that the accounts are empty.

        It was written before the runs that left something. A finding that rests on it could accuse the service of that.
        """
        resets = any(each.startswith("--reset-command=") for each in self.target.arguments)
        return self.is_unclear and _CONFIRMATION in self.target.arguments and not resets


def run_target(job: Job, stop: Stop) -> Result:
    """Make the run, and return its result once nothing of it is left at the service, or the result says what is.

    What earlier attempts left is deleted first, and what earlier runs left on purpose, but for the one with which the
    run goes on. A run that `stop` interrupts leaves nothing, not even its folder.
    """
    began = time.monotonic()
    if _is_busy(job, stop):
        return cut_short(job, State.BROKEN, f"An earlier run of this target is still in progress in {job.work}.")
    run = _new_folder(job.work)  # before the former ones go: what is about to end there gets no part of this run
    former = [each for each in dict.fromkeys((*job.left, job.final)) if folders.leaves(each)]
    resumed = former[-1] if former and job.target.leaves and not job.unusable else None
    earlier = _settled(job)
    for folder in dict.fromkeys((*former, job.final)):
        earlier += _cleaned(job, folder, keeps_left=folder == resumed)
    if earlier.live or earlier.not_found:
        job = replace(job, is_unclear=True)
    done = _ended(_check_words(job, run, resumed), job, stop, job.deadline)
    if resumed is not None and done.error.startswith(UNUSABLE):
        return run_target(replace(job, unusable=done.error), stop)
    found = _classified(job, run, done, stopped=stop())
    own = _cleaned(job, run, keeps_left=found.is_finished)
    not_found = max(found.not_found, own.not_found) + earlier.not_found
    found = replace(found, left_behind=own.live + earlier.live, not_found=not_found)
    remarks = [found.message, _WITHHELD if job.is_withheld else ""]
    if job.unusable:
        remarks.append(f"What an earlier run left on purpose was deleted and not judged: {job.unusable}")
    if earlier.live:
        places = ", ".join(str(each) for each in (job.work, *former) if each != resumed)
        remarks.append(f"{earlier.live} data requests of earlier runs may be left. Their journals: {places}.")
    found = replace(
        found, message=" ".join(filter(None, remarks)), seconds=time.monotonic() - began, attempts=job.attempt
    )
    if found.is_finished:
        _publish(job, run, found)
    elif not own.live:
        shutil.rmtree(run, ignore_errors=True)
    with suppress(OSError):  # it holds what is left
        job.work.rmdir()
    return found


def _is_busy(job: Job, stop: Stop) -> bool:
    """Wait for the process of an earlier attempt, whose audit was killed: it cleans up. True if that takes too long."""
    until = time.monotonic() + max(GRACE, CLEAN_UP)
    while busy := any(map(_is_in_progress, journals(job.work))):
        if time.monotonic() > until or stop():
            break
        time.sleep(_TICK)
    return busy


def _settled(job: Job) -> Remains:
    """Delete what earlier attempts left, and the folders of those that left nothing; return what may be left."""
    left = Remains()
    for folder in sorted(job.work.iterdir()) if job.work.is_dir() else ():
        remains = _cleaned(job, folder)
        left += remains
        if not remains.live:
            shutil.rmtree(folder, ignore_errors=True)  # a run that ends removes its journal itself
    return left


def _new_folder(work: Path) -> Path:
    """Make a folder for another attempt, and return that of its run."""
    work.mkdir(parents=True, exist_ok=True)
    return next(each for number in itertools.count(1) if not (each := work / f"attempt-{number}").exists())


def _check_words(job: Job, run: Path, resumed: Path | None) -> list[str]:
    target = job.target
    labels = [f"--label={key}={value}" for key, value in target.labels.items()]
    authority = [f"--authority={target.authority}"] if target.authority else []
    words = ["check", f"--output={run}", f"--profile={target.profile}", f"--config={os.devnull}", "--quiet"]
    own = [*target.arguments]
    if job.is_withheld:
        own = [f"--label={EMPTY_ACCOUNT}=not confirmed", *(each for each in own if each != _CONFIRMATION)]
    own += [f"--resume={resumed}"] if resumed is not None else []
    return [*words, *arguments_of(target.tokens), *labels, *authority, *own, "--", target.base_url]


def _cleanup_words(job: Job, run: Path, *, keeps_left: bool) -> list[str]:
    target = job.target
    same = [each for each in target.arguments if each.partition("=")[0] in _OF_A_CLEAN_UP]
    tokens = arguments_of({key: each for key, each in target.tokens.items() if key in ("token", "other_token")})
    kept = ["--keep-left"] if keeps_left else []
    return ["cleanup", f"--config={os.devnull}", *tokens, *same, *kept, "--", str(run), target.base_url]


@dataclass(frozen=True)
class Ended:
    """How the process of a command ended."""

    code: int
    error: str = ""
    """The error that ended the command, and its fix. An interrupted command has none."""
    is_late: bool = False
    """Whether its time was over before."""


def _ended(words: list[str], job: Job, stop: Stop, seconds: float) -> Ended:
    """Run the command to its end. After `seconds`, or because of `stop`, it is interrupted."""
    process, pipe = started(words, job)
    try:
        until = time.monotonic() + seconds
        while (code := _code(process, _TICK)) is None and time.monotonic() < until and not stop():
            pass
        if code is not None:
            return Ended(code, error_in(pipe))
        is_late = not stop()
        pipe.close()  # the process watches it, and cleans up as after Ctrl-C
        code = _code(process, GRACE)
    finally:
        if _code(process, 0) is None:
            end(process)  # type: ignore[arg-type]  # it has the two members that are used
            code = _code(process, _END)
    return Ended(-1 if code is None else code, is_late=is_late)


_LINUX: Final = sys.platform == "linux"
_CONTEXT: Final[Any] = get_context("forkserver" if _LINUX else "spawn")
"""On Linux, runs are forks of a process that has made one: most of what a run loads and keeps is there. It has no
threads, so that its forks are safe."""

STARTING: Final = threading.Lock()
"""Guards what multiprocessing knows of its processes, and the environment, which lacks tokens while one starts."""


def started(words: list[str], job: Job) -> tuple[BaseProcess, Connection]:
    """Start a command of the suite in the folder of the job, in a session of its own; closing the pipe interrupts it.

    Its environment holds the tokens of the run, and goes to it alone.
    """
    pipe, other_end = _CONTEXT.Pipe()
    if _LINUX:
        _CONTEXT.set_forkserver_preload(["__main__", f"{__package__}.warm"])
    with other_end, STARTING:
        environment = environment_of(job.target.tokens, job.withheld)
        process = _CONTEXT.Process(target=child.run, args=(other_end, words, environment, job.place, MEMORY))
        with _clean_environment(job.withheld):
            process.start()
    return process, pipe


@contextmanager
def _clean_environment(withheld: frozenset[str]) -> Iterator[None]:
    """Let a Python that starts load the suite of this one, nothing from its working directory, and have no token."""
    kept, given = dict(os.environ), {"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    for name in kept:
        if name in withheld or name.startswith("DRSI_"):
            del os.environ[name]
    os.environ.update(given)
    try:
        yield
    finally:
        for name in given:
            del os.environ[name]
        os.environ.update(kept)


def error_in(pipe: Connection) -> str:
    """Return the error that a command handed over before it ended, if there is one."""
    with pipe, suppress(EOFError, OSError):
        return pipe.recv_bytes().decode()
    return ""


def _code(process: BaseProcess, seconds: float) -> int | None:
    """Wait for the end of a process, at most so long; return its exit code, or None."""
    is_over = wait([process.sentinel], seconds)
    with STARTING:
        if is_over:
            process.join()
        return process.exitcode


def _classified(job: Job, run: Path, done: Ended, *, stopped: bool) -> Result:
    """Return the result of a run that is over, without its time and without what it left behind."""
    late = f"The run was interrupted at its deadline of {job.deadline:g} s." if done.is_late else ""
    if (run / "report.json").is_file():
        report = result.load(run)
        if report.complete or not stopped:
            remarks = [late, *(each.message for each in report.notes if is_on_left_request(each))]
            message = " ".join(filter(None, remarks))
            return replace(without_report(job, State.FINISHED, message), **result.facts_of(report))
    if stopped:
        return without_report(job, State.INTERRUPTED)
    if done.is_late:
        return without_report(job, State.ENDED, f"{late} It wrote no report.")
    return without_report(job, _state_of(done), done.error or f"It ended with exit code {done.code}.")


def without_report(job: Job, state: State, message: str = "") -> Result:
    """Return the result of a run that has no report."""
    target = job.target
    return Result(
        name=target.name,
        base_url=target.base_url,
        profile=target.profile,
        definition=target.digest,
        state=state,
        exit_code=EXIT_OF_STATE.get(state, Exit.BROKEN),
        message=message,
    )


def cut_short(job: Job, state: State, message: str = "") -> Result:
    """Return the result of a run that ended outside of `run_target`, with what its journals leave."""
    left = remains_of(job.work)
    return replace(without_report(job, state, message), left_behind=left.live, not_found=left.not_found)


def _state_of(done: Ended) -> State:
    if done.code == Exit.USAGE:
        return State.NOT_RUN
    # Without an error, the same exit code means that somebody interrupted the run.
    return State.UNREACHABLE if done.code == Exit.INCONCLUSIVE and done.error else State.BROKEN


def _is_in_progress(path: Path) -> bool:
    with suppress(OSError):
        return journal_file.is_in_progress(path)
    return False


def _cleaned(job: Job, run: Path, *, keeps_left: bool = False) -> Remains:
    """Delete what the journals of a run that is over name; return what may be left.

    With `keeps_left`, what the run left on purpose stays, and does not count. An interrupted audit does this too: a run
    must not leave anything else behind.
    """
    for path in journals(run):
        if remains_in(path, keeps_left=keeps_left).live:
            words = _cleanup_words(job, path.parent, keeps_left=keeps_left)
            _ended(words, job, lambda: False, CLEAN_UP)
    return remains_of(run, keeps_left=keeps_left)


def _publish(job: Job, run: Path, found: Result) -> None:
    """Give a finished run its place. An earlier one makes room; it stays elsewhere if its journal names something."""
    (run / result.FILE).write_text(as_json(asdict(found), indent=2), "utf-8")
    job.final.parent.mkdir(parents=True, exist_ok=True)
    if remains_of(job.final).live:
        job.final.replace(_new_folder(job.work))
    elif job.final.exists():
        shutil.rmtree(job.final)
    run.replace(job.final)
