"""An audit of several services that take their time for each answer: what a run costs, and what the others save.

Each service is in a process of its own, whose time is not counted. The runs are whole runs of the full profile: one
after another, then several at a time, as new processes and as forks of one that has loaded the suite. Linux only.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from measure import parser_of, positive
from watched_service import WatchedService, watched_service

from conformance.audit.launch import PRELOADED, Launch, Spawned, forking
from conformance.audit.one_run import Job, run_target
from conformance.audit.result import Result
from conformance.audit.schedule import Listener, results
from conformance.audit.sources import Source
from conformance.audit.targets import AuditTarget

_SAMPLE = 0.5
"""Seconds between two looks at the memory of the runs."""


@dataclass
class Cost:
    """What an audit took: wall clock and CPU in seconds, and memory in MiB."""

    wall: float
    cpu: float
    rss: float
    """Most resident memory of one run, with pages that it shares with others."""
    pss: float
    """Most memory of one run, where a shared page counts in parts."""


def main() -> None:
    """Measure and print."""
    options = _options()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        services = [stack.enter_context(watched_service(options.latency, 3)) for _ in range(options.targets)]
        ways: dict[str, tuple[int, AbstractContextManager[Launch]]] = {
            "forks, one at a time": (1, forking(PRELOADED, ())),
            f"forks, {options.workers} at a time": (options.workers, forking(PRELOADED, ())),
            f"new processes, {options.workers} at a time": (options.workers, nullcontext(Spawned)),
        }
        print(f"{options.targets} services that take {options.latency} ms for each answer, {os.cpu_count()} cores")
        for number, (title, (workers, launcher)) in enumerate(ways.items()):
            with launcher as launch:
                cost = _cost(services, Path(name) / str(number), workers, launch)
            runs = options.targets
            print(
                f"  {title:<30} {cost.wall:7.1f} s  {runs * 60 / cost.wall:5.1f} runs/min  "
                f"{cost.cpu / runs:5.2f} CPU s/run  RSS {cost.rss:4.0f} MiB  PSS {cost.pss:4.0f} MiB",
                flush=True,
            )


def _cost(services: Sequence[WatchedService], place: Path, workers: int, launch: Launch) -> Cost:
    """Make a run against each service, and return what they took together."""
    jobs = [_job(service, place, number) for number, service in enumerate(services)]
    with _watched() as memory, ThreadPoolExecutor(workers) as executor:
        before, began = _cpu(), time.perf_counter()
        run = partial(run_target, launch=launch)
        found = results(jobs, run, executor, threading.Event(), Listener(), retries=0, pause=0)
        cost = Cost(time.perf_counter() - began, _cpu() - before, 0, 0)
    _expect_conforming(found, len(jobs))
    cost.rss, cost.pss = memory
    return cost


def _job(service: WatchedService, place: Path, number: int) -> Job:
    names = {f"AUDIT_{number}_{key}": token for key, token in service.tokens.items()}
    os.environ.update(names)
    tokens = dict(zip(("token", "other_token"), (Source("variable", name) for name in names), strict=True))
    return Job(
        target=AuditTarget(name=f"t{number}", base_url=service.base_url, tokens=tokens, arguments=("--empty-account",)),
        work=place / "unfinished" / str(number),
        final=place / "runs" / str(number),
        place=place.parent,
        deadline=600,
        grace=60,
        memory=2048,
        withheld=frozenset(names),
    )


def _expect_conforming(found: Sequence[Result], number: int) -> None:
    words = [each.words for each in found]
    if words.count("conforms") + words.count("conforms-in-part") != number:
        raise SystemExit(f"The runs did not conform, so there is nothing to measure: {[*map(str, found)]}")


def _children(process: int) -> Iterator[int]:
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            yield from map(int, (task / "children").read_text("ascii").split())


def _cpu() -> float:
    """Return the CPU seconds of this process, of its children that ended, and of those of its fork server."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    total = sum(each.ru_utime + each.ru_stime for each in used)
    for child in _children(os.getpid()):
        if b"forkserver" in Path(f"/proc/{child}/cmdline").read_bytes():
            fields = Path(f"/proc/{child}/stat").read_text("ascii").rpartition(")")[2].split()
            total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


@contextmanager
def _watched() -> Iterator[list[float]]:
    """Look at the memory of all runs meanwhile; yield the list that gets the most of one, resident and in parts."""
    most, over = [0.0, 0.0], threading.Event()

    def look() -> None:
        while not over.wait(_SAMPLE):
            for run in _runs():
                for index, key in enumerate(("Rss:", "Pss:")):
                    most[index] = max(most[index], _mebibytes(run, key))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        over.set()
        thread.join()


def _runs() -> Iterator[int]:
    """Yield the processes of runs: forks of the fork server, and children that are the module of a run."""
    for child in _children(os.getpid()):
        with suppress(OSError):
            line = Path(f"/proc/{child}/cmdline").read_bytes()
            if b"forkserver" in line:
                yield from _children(child)
            elif b"conformance.audit.child" in line:
                yield child


def _mebibytes(process: int, key: str) -> float:
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text("ascii").splitlines():
            if line.startswith(key):
                return int(line.split()[1]) / 1024
    return 0.0


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--targets", type=positive, default=12, metavar="NUMBER", help="services (default: 12)")
    parser.add_argument("--workers", type=positive, default=8, metavar="NUMBER", help="runs at a time (default: 8)")
    parser.add_argument(
        "--latency", type=positive, default=100, metavar="MS", help="milliseconds for each answer (default: 100)"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
