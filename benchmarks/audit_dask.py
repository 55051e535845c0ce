"""What the way through Dask costs: the same audit on this machine, and on a scheduler and a worker here. Linux only.

Each way takes its turns. Everything counts that it starts: for Dask the scheduler and the worker too, which a cluster
that is there already saves; an audit of one target that nothing listens at shows what that is. Several services are in
processes of their own, on the same cores, whose time is not counted. Use an installed wheel, as for audit.py.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from measure import COMMAND, parser_of, positive
from watched_service import WatchedService, watched_service

_DASK = str(Path(COMMAND).with_name("dask"))
_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2): what a process leaves when it ends becomes a child of this one, which waits."""
_UNREACHABLE = "http://127.0.0.1:9/api"


def main() -> None:
    """Measure and print."""
    options = _options()
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        services = [stack.enter_context(watched_service(options.latency, 3)) for _ in range(options.runs)]
        own = set(_children())
        place = Path(name)
        environment = _prepared(services, place)
        print(f"{options.runs} runs, {options.workers} at a time; {options.latency} ms for each answer")
        for number in range(options.turns):
            for way in ("local", "dask"):
                for file, expected in (("unreachable", 0), ("targets", options.runs)):
                    before, began = _cpu(), time.perf_counter()
                    with _cluster(place, environment, options.workers, way) as dask:
                        words = ["--output", f"{file}-{way}-{number}", "--workers", str(options.workers), *dask]
                        _audit(file, words, place, environment, expected)
                        wall = time.perf_counter() - began
                    _wait_for_orphans(own)
                    cpu, load = _cpu() - before, os.getloadavg()[0]
                    print(f"  {file:<8} {way:<6} {wall:6.1f} s  {cpu:6.1f} CPU s  load {load:.1f}", flush=True)


def _prepared(services: Sequence[WatchedService], place: Path) -> dict[str, str]:
    """Write the files of the targets, and return the environment of all processes."""
    environment, lines = dict(os.environ), []
    for number, service in enumerate(services):
        names = {f"AUDIT_{number}_{key}": token for key, token in service.tokens.items()}
        environment |= names
        user, other = names
        lines += ["[[target]]", f'name = "t{number}"', f'base_url = "{service.base_url}"', "empty_account = true"]
        lines += [f'token = "variable:{user}"', f'other_token = "variable:{other}"']
    (place / "targets.toml").write_text("\n".join(lines), "utf-8")
    unreachable = f'[[target]]\nname = "unreachable"\nbase_url = "{_UNREACHABLE}"\nprofile = "public"\n'
    (place / "unreachable.toml").write_text(unreachable, "utf-8")
    return environment


@contextmanager
def _cluster(place: Path, environment: dict[str, str], workers: int, way: str) -> Iterator[list[str]]:
    """Yield the arguments of an audit: of a new scheduler and a worker, or none for this machine."""
    if way == "local":
        yield []
        return
    with ExitStack() as stack:

        def start(*words: str) -> None:
            process = stack.enter_context(
                subprocess.Popen(
                    [_DASK, *words], cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            )
            stack.callback(process.terminate)

        file = place / f"scheduler-{time.monotonic_ns()}.json"
        start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        while not file.exists() or not file.read_text("utf-8"):
            time.sleep(0.05)
        address = json.loads(file.read_text("utf-8"))["address"]
        threads = ("--nthreads", str(workers), "--no-nanny", "--memory-limit", "0", "--no-dashboard")
        start("worker", address, "--host", "127.0.0.1", *threads, "--local-directory", str(place / "scratch"))
        yield ["--dask", address]


def _audit(file: str, words: list[str], place: Path, environment: dict[str, str], expected: int) -> None:
    """Make an audit; raise SystemExit unless as many services conform as expected."""
    command = [COMMAND, "audit", f"{file}.toml", "--retries", "0", "--quiet", *words]
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    documents = list(place.glob(f"{words[1]}/*/audit.json"))
    targets = json.loads(documents[0].read_text("utf-8"))["targets"] if documents else []
    if not targets or sum(each["outcome"] == "conforms" for each in targets) != expected:
        raise SystemExit(f"Expected {expected} services that conform:\n{done.stdout}{done.stderr}")


def _children() -> Iterator[int]:
    for task in Path("/proc/self/task").iterdir():
        yield from map(int, (task / "children").read_text("ascii").split())


def _wait_for_orphans(own: set[int]) -> None:
    """Wait for the fork servers of audits and workers that ended: they end when they notice it."""
    for child in set(_children()) - own:
        with suppress(ChildProcessError):
            os.waitpid(child, 0)


def _cpu() -> float:
    """Return the CPU seconds of all processes that this one has waited for, and of those for which they waited."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=positive, default=8, metavar="NUMBER", help="runs (default: 8)")
    parser.add_argument("--turns", type=positive, default=2, metavar="NUMBER", help="turns of each way (default: 2)")
    parser.add_argument("--workers", type=positive, default=4, metavar="NUMBER", help="runs at a time (default: 4)")
    parser.add_argument(
        "--latency", type=positive, default=100, metavar="MS", help="milliseconds for each answer (default: 100)"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
