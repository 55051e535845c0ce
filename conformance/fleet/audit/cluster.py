"""The runs of an audit on a cluster of Dask: each is given to a worker, and its files are found in the shared folder.

`Cluster.run` is to the schedule what `run_target` is on one machine. So the schedule decides on both which run is when.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, wait
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any, Final

from conformance.fleet.audit.one_run import Job, Stop, cut_short
from conformance.fleet.audit.result import Result, State
from conformance.fleet.audit.worker import Terms, Unfit, attend, claimed, digest_of, run_here
from conformance.model.build import build
from conformance.model.errors import ConfigurationFault
from conformance.model.text import count
from conformance.trust import builds

if TYPE_CHECKING:
    from distributed import Client

_TICK: Final = 0.2
"""Seconds between two looks at whether the audit was interrupted, or the scheduler has gone."""

_FILES: Final = 60.0
"""Seconds until what a worker wrote has to be seen here: a network file system may show a folder as it was before."""

_SHOWN: Final = 3
"""Workers that an error names."""


class Cluster:
    """Makes the runs of an audit on the workers of a scheduler, which does not have to stay the same process."""

    def __init__(self, client: Client, terms: Terms) -> None:
        self._client = client
        self._terms = terms
        self._executor = client.get_executor(pure=False, retries=0)  # type: ignore[no-untyped-call]
        self.fault = ""
        """Why the audit cannot go on."""
        self.threads: int = sum(client.nthreads().values())  # type: ignore[no-untyped-call]
        """The runs that the workers can make at the same time."""

    def run(self, job: Job, stop: Stop) -> Result:
        """Make the run on a worker; make it again if its task was lost with the scheduler, or its worker closed.

        Without a cluster that can go on, this and all further runs are interrupted, and `fault` says why.
        """
        while not (stop() or self._has_fault()):
            task: Future[tuple[Result, str]] = self._executor.submit(
                run_here, job, self._terms, key=f"run-{uuid.uuid4().hex}"
            )
            while not wait([task], _TICK).done:
                if stop() or self._has_fault():
                    return self._cancelled(task, job)
            try:
                found, files = task.result()
            except CancelledError:  # it was lost with the scheduler, which may come back
                while self._client.status == "connecting":
                    time.sleep(_TICK)
            except Unfit as error:
                self.fault = f"A worker cannot make runs of this audit. {error}"
            else:
                if found.is_finished:
                    return received(job, found, files)
                if found.state is not State.INTERRUPTED or stop():
                    return found
        return cut_short(job, State.INTERRUPTED)

    def _has_fault(self) -> bool:
        if self._client.status == "closed":
            self.fault = self.fault or "The scheduler does not answer any more."
        return bool(self.fault)

    def _cancelled(self, task: Future[tuple[Result, str]], job: Job) -> Result:
        """Let the worker that has the run interrupt it, and wait until it has: the folders of the run are free then."""
        if self._client.status == "running":
            task.cancel()
        with claimed(job, lambda: False):
            return cut_short(job, State.INTERRUPTED)


def received(job: Job, result: Result, files: str) -> Result:
    """Return the result of a finished run once its files are here, as the worker wrote them."""
    until = time.monotonic() + _FILES
    while (found := _digest(job.final)) != files:
        if time.monotonic() > until:
            rmtree(job.final, ignore_errors=True)
            received = f"expected {files}, received {found or 'none'}"
            return cut_short(
                job,
                State.BROKEN,
                f"The files in {job.final} are not those that the worker wrote: {received}. Check that all workers "
                "share this folder, and that nothing else writes there.",
            )
        time.sleep(_TICK)
    return result


def _digest(folder: Path) -> str:
    with suppress(OSError):
        return digest_of(folder) if folder.is_dir() else ""
    return ""


@contextmanager
def connected(address: str, lock: Path, place: Path) -> Iterator[Cluster]:
    """Yield the cluster of the scheduler at `address`; raise ConfigurationFault, also if a worker of it is unfit.

    `lock` is a file in the shared folder that this process has locked, and `place` the folder of the targets file.
    """
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # the audit says itself what happens to it
    terms = Terms(build=build(), lock=lock.resolve(), place=place.resolve())
    with ExitStack() as stack:
        try:
            _check_address(address)
            client = Client(address, name="drsi-conformance", set_as_default=False)  # type: ignore[no-untyped-call]
            stack.callback(_close, client)
            _check_workers(client, terms)
            cluster = Cluster(client, terms)
        except ConfigurationFault:
            raise
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            raise ConfigurationFault(
                f"No scheduler of Dask can be used at {address}: {str(error) or type(error).__name__}",
                remedy="Give the address that the scheduler printed when it began, such as tcp://HOST:8786. Check "
                "that it runs, that its port can be reached, and for tls:// the TLS settings of Dask.",
            ) from None
        yield cluster


def _check_address(address: str) -> None:
    """Raise an error for an address that no client can use: to end such a client takes Dask a minute."""
    from distributed.comm.addressing import get_address_host_port
    from distributed.security import Security

    get_address_host_port(address)
    if address.startswith("tls://"):
        settings: dict[str, Any] = Security().get_connection_args("client")  # type: ignore[no-untyped-call]
        if settings.get("ssl_context") is None:
            raise ValueError("there are no TLS settings of Dask")


def _close(client: Client) -> None:
    with suppress(Exception):  # the scheduler may have gone
        client.close()  # type: ignore[no-untyped-call]


def _check_workers(client: Client, terms: Terms) -> None:
    """Raise ConfigurationFault if a worker cannot make runs of the audit. Later ones are asked before each run."""
    answers = client.run(attend, terms, on_error="return")
    wrong = {worker: answer for worker, answer in answers.items() if answer is not None}
    if wrong:
        lines = [f"{worker}: {_in_words(answer)}" for worker, answer in sorted(wrong.items())[:_SHOWN]]
        more = [f"… and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
        raise ConfigurationFault(
            "\n".join([f"{count(len(wrong), 'worker')} of {len(answers):,} cannot make the runs.", *lines, *more]),
            remedy=f"Install the same build of the suite on all workers, {builds.this_build()}, and share the folder "
            "of --output and that of the targets with them, under the same paths.",
        )


def _in_words(answer: object) -> str:
    if isinstance(answer, ModuleNotFoundError | AttributeError):
        return f"it has not this version of the suite ({answer})."
    return str(answer) if isinstance(answer, Unfit) else f"{type(answer).__name__}: {answer}"
