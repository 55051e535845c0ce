"""A cluster of Dask in tests: a scheduler and workers as processes of their own, on this machine."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from pathlib import Path

from cli_services import Started


class _Dask(Started):
    """A command of Dask, as a process. A worker that is interrupted while it closes ends sooner than usual."""

    program = """
import sys
from conformance.fleet.audit import worker
from dask.__main__ import main
worker._CLOSES = 3.0
sys.argv[0] = "dask"
main()
"""


class Cluster(ExitStack):
    """A scheduler and workers with a thread each. Only the workers have tokens. They end with this context."""

    def __init__(self, folder: Path, **tokens: str) -> None:
        super().__init__()
        self.folder, self._tokens = folder, tokens
        self.port = 0
        self.processes: list[Started] = []
        """All of them, also those that ended: what they wrote is there."""

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def begin(self, workers: int = 1) -> None:
        """Start a scheduler, at the port of the former one, and workers."""
        words = ("--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        self.scheduler = self._started("scheduler", *words)
        self.scheduler.awaits("Scheduler at:")
        found = re.search(r"tcp://127\.0\.0\.1:(\d+)", self.scheduler.err)
        assert found
        self.port = int(found[1])
        self.workers = [self.worker() for _ in range(workers)]
        self.scheduler.awaits("Starting worker compute stream", times=workers)

    def worker(self) -> Started:
        """Start a worker."""
        words = (self.address, "--host", "127.0.0.1", "--no-nanny", "--nthreads", "1", "--no-dashboard")
        return self._started("worker", *words, "--local-directory", str(self.folder / "scratch"), **self._tokens)

    def _started(self, role: str, *words: str, **environment: str) -> Started:
        process = self.enter_context(_Dask(self.folder, role, *words, **environment))
        self.processes.append(process)
        return process


def descendants(parent: int) -> list[int]:
    """Return the processes that a process started, and those that these started. Linux only."""
    found = [parent]
    for each in found:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            found += map(int, task.read_text("ascii").split())
    return found[1:]


def send(number: int, *processes: int) -> None:
    for each in processes:
        os.kill(each, number)
