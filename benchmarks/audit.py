"""Audits of services that take their time for each answer: what a run costs, what many at a time save, and growth.

Each service is in a process of its own, on the same cores, whose time is not counted. The runs are whole runs of the
full profile: some one after another; then all targets, several at a time; then more targets, to see growth. Where
there are more targets than services, several share an origin. Use an installed wheel: hypothesis reads the constants
of editable code in each run. Linux only.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # a package that distributed needs
from measure import parser_of, positive
from watched_service import WatchedService, watched_service

from conformance.fleet.audit.one_run import Job, run_target
from conformance.fleet.audit.result import Result
from conformance.fleet.audit.schedule import Listener, results
from conformance.fleet.audit.sources import Source
from conformance.fleet.audit.targets import AuditTarget
from conformance.http.wire.exchange_limits import MIB

_SAMPLE = 0.5
"""Seconds between two looks at the memory of the runs."""


def main() -> None:
    """Measure and print."""
    options = _options()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        services = [stack.enter_context(watched_service(options.latency, 3)) for _ in range(options.services)]
        keep = options.keep or Path(name)
        several = f"{options.workers} at a time"
        ways = {"one at a time": (options.alone, 1), several: (options.targets, options.workers)}
        if options.growth:
            ways |= {f"{several}, more": (options.growth, options.workers)}
        print(f"{options.services} services that take {options.latency} ms for each answer, {os.cpu_count()} cores")
        for number, (title, (runs, workers)) in enumerate(ways.items()):
            print(f"  {title:<28} {_cost(services, runs, keep / str(number), workers)}", flush=True)


def _cost(services: Sequence[WatchedService], runs: int, place: Path, workers: int) -> str:
    """Make so many runs, and return what they took together: wall clock, CPU, and the most memory of one of them."""
    for service in services:
        service.ask("clear")
    jobs = [_job(services[number % len(services)], place, number) for number in range(runs)]
    with _watched() as memory, ThreadPoolExecutor(workers) as executor:
        before, began = _cpu(), time.perf_counter()
        found = results(jobs, run_target, executor, threading.Event().is_set, Listener(), retries=0)
        wall, cpu = time.perf_counter() - began, _cpu() - before
        audit = psutil.Process().memory_info().rss / MIB
    _expect_conforming(found, len(jobs))
    return (
        f"{runs:4} runs {wall:7.1f} s  {runs * 60 / wall:5.1f} runs/min  {cpu / runs:5.2f} CPU s/run  "
        f"memory {max(memory) / MIB:.0f} MiB, audit {audit:.0f} MiB  load {os.getloadavg()[0]:.1f}"
    )


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
        withheld=frozenset(names),
    )


def _expect_conforming(found: Sequence[Result], number: int) -> None:
    words = [each.words for each in found]
    if words.count("conforms") + words.count("conforms-in-part") != number:
        raise SystemExit(f"The runs did not conform, so there is nothing to measure: {[*map(str, found)]}")


def _server() -> psutil.Process | None:
    """Return the process whose forks are the runs, once there is one."""
    return next((each for each in psutil.Process().children() if "forkserver" in " ".join(each.cmdline())), None)


def _cpu() -> float:
    """Return the CPU seconds of this process, of its fork server, and of its runs that ended."""
    server = _server()
    return float(sum(psutil.Process().cpu_times()[:2]) + sum(server.cpu_times()[:4] if server else ()))


@contextmanager
def _watched() -> Iterator[list[int]]:
    """Look at the resident memory of all runs meanwhile, and yield the list of what they had at each look."""
    memory, over = [0], threading.Event()

    def look() -> None:
        while not over.wait(_SAMPLE):
            for run in server.children() if (server := _server()) else ():
                with suppress(psutil.NoSuchProcess):
                    memory.append(run.memory_info().rss)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield memory
    finally:
        over.set()
        thread.join()


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--targets", type=positive, default=20, metavar="NUMBER", help="targets (default: 20)")
    parser.add_argument(
        "--growth", type=int, default=0, metavar="NUMBER", help="targets of one more audit (default: 0)"
    )
    parser.add_argument("--alone", type=positive, default=4, metavar="NUMBER", help="runs one at a time (default: 4)")
    parser.add_argument("--services", type=positive, default=16, metavar="NUMBER", help="services (default: 16)")
    parser.add_argument("--workers", type=positive, default=8, metavar="NUMBER", help="runs at a time (default: 8)")
    parser.add_argument(
        "--latency", type=positive, default=100, metavar="MS", help="milliseconds for each answer (default: 100)"
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the runs in this folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
