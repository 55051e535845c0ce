"""The plan of a large audit, on paper: recorded runs pass through a model of the schedule and of a cluster.

No service is called. Each target gets the duration, the calls and the size of a recorded run, drawn by a seed; some are
slower, and some do not answer. The model follows `audit`: one run at a time for each origin, a rate, a deadline, and
further rounds for what did not answer. Runs on busy cores take longer, all alike. It knows no failures, no differences
between machines, and no limits of the network or of the shared folder: it prints what they would have to carry.

    plan.py FOLDER     the runs, such as DIR/1/runs of audit.py --keep DIR, made one at a time
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import parser_of, positive

_REFUSED = 10.0
"""Seconds of a run against a service that does not answer, such as for two attempts to connect."""
_REFUSED_CPU = 0.7
_PAUSE = 30.0
"""Seconds between two rounds."""
_SLOWER = 10
"""How many times as long a run of a slow service takes."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run takes on an idle machine: seconds of the clock and of a core, calls, and MiB that it writes."""

    seconds: float
    cpu: float
    calls: int
    size: float


@dataclass(frozen=True)
class Cluster:
    """Machines of the same kind; a thread makes one run at a time."""

    machines: int
    cores: int
    threads: int

    @property
    def all_cores(self) -> int:
        """The cores of all machines."""
        return self.machines * self.cores

    @property
    def all_threads(self) -> int:
        """The runs at the same time."""
        return self.machines * self.threads


@dataclass
class Plan:
    """What came of a simulated audit, in seconds."""

    wall: float = 0.0
    last_tenth: float = 0.0
    """The time that was left when nine in ten targets were done."""


def main() -> None:
    """Simulate audits on clusters of several sizes, and print the plans."""
    options = _options()
    runs = _recorded(options.folder, options.cpu)
    targets = _targets(runs, options)
    work = [run for origin in targets for run in origin]
    taken = [run.seconds for run in runs]
    hours = [sum(each) / 3600 for each in zip(*((run.cpu, run.seconds) for run in work), strict=True)]
    calls, size = sum(run.calls for run in work), sum(run.size for run in work)
    print(f"{len(work):,} targets at {len(targets):,} origins, from {len(runs)} runs of", end=" ")
    print(
        f"{min(taken):.0f} to {max(taken):.0f} s: {hours[0]:.1f} hours of a core, {hours[1]:.1f} hours of a thread,",
        end=" ",
    )
    print(f"{calls:,} calls, {size / 1024:.1f} GiB")
    print("machines  cores  threads    takes  last tenth  bound by                       runs/s  calls/s  MiB/s")
    for machines in options.machines:
        cluster = Cluster(machines, options.cores, options.threads)
        plan = _simulated(targets, cluster, options)
        bound, seconds = _bound(targets, cluster)
        print(
            f"{machines:8}  {cluster.all_cores:5}  {cluster.all_threads:7}  {_clock(plan.wall):>7}  "
            f"{_clock(plan.last_tenth):>10}  {f'{bound} ({_clock(seconds)})':<29}  {len(work) / plan.wall:6.1f}  "
            f"{calls / plan.wall:7.0f}  {size / plan.wall:5.1f}"
        )


def _recorded(folder: Path, cpu: float) -> list[Run]:
    """Return what the finished runs in a folder took."""
    found = []
    for path in sorted(folder.glob("*/target.json")):
        target = json.loads(path.read_text("utf-8"))
        calls = len(json.loads((path.parent / "evidence.har").read_text("utf-8"))["log"]["entries"])
        size = sum(each.stat().st_size for each in path.parent.rglob("*") if each.is_file()) / 2**20
        found.append(Run(target["seconds"], cpu, calls, size))
    if not found:
        raise SystemExit(f"{folder} has no finished runs. Make some with audit.py --keep DIR.")
    return found


def _targets(runs: Sequence[Run], options: argparse.Namespace) -> list[list[Run]]:
    """Return the runs of each origin: first that of the largest platform, then one for each other target."""
    chance = random.Random(options.seed)

    def drawn() -> Run:
        run = chance.choice(runs)
        if chance.random() < options.dead:
            return Run(_REFUSED, _REFUSED_CPU, 0, 0.0)
        slower = _SLOWER if chance.random() < options.slow else 1
        by_rate = run.calls / options.rate if options.rate else 0.0
        return Run(min(options.deadline, max(run.seconds * slower, by_rate)), run.cpu, run.calls, run.size)

    shared = min(options.shared, options.targets)
    return [[drawn() for _ in range(shared)], *([drawn()] for _ in range(options.targets - shared))]


def _simulated(targets: Sequence[Sequence[Run]], cluster: Cluster, options: argparse.Namespace) -> Plan:
    """Return when an audit ends: its first round, and those for the services that do not answer."""
    plan = _round(targets, cluster)
    dead = [[run for run in origin if not run.calls] for origin in targets]
    again = [origin for origin in dead if origin]
    for _ in range(options.retries if again else 0):
        plan.wall += _PAUSE + _round(again, cluster).wall
    return plan


def _round(targets: Sequence[Sequence[Run]], cluster: Cluster) -> Plan:
    """Return when each run was made once, in the order of the file.

    All runs that are at work advance alike: at the pace of the clock while the cores suffice, and slower in proportion
    where the runs want more. So the next to end is the one with the least progress left.
    """
    waiting = deque(deque(origin) for origin in targets)
    active: list[tuple[float, int, deque[Run], float]] = []
    left = total = sum(map(len, targets))
    order = itertools.count()
    progress = clock = wanted = ninety = 0.0
    while waiting or active:
        while waiting and len(active) < cluster.all_threads:
            origin = waiting.popleft()
            run = origin.popleft()
            share = run.cpu / run.seconds
            heapq.heappush(active, (progress + run.seconds, next(order), origin, share))
            wanted += share
        end, _, origin, share = heapq.heappop(active)
        clock += (end - progress) * max(1.0, wanted / cluster.all_cores)
        progress, wanted, left = end, wanted - share, left - 1
        if origin:
            waiting.appendleft(origin)
        if not ninety and left <= total / 10:
            ninety = clock
    return Plan(clock, clock - ninety)


def _bound(targets: Sequence[Sequence[Run]], cluster: Cluster) -> tuple[str, float]:
    """Return what no schedule can be faster than, and its seconds."""
    work = [run for origin in targets for run in origin]
    bounds = {
        "the cores": sum(run.cpu for run in work) / cluster.all_cores,
        "the threads": sum(run.seconds for run in work) / cluster.all_threads,
        "the largest origin": max(sum(run.seconds for run in origin) for origin in targets),
    }
    return max(bounds.items(), key=lambda each: each[1])


def _clock(seconds: float) -> str:
    return f"{int(seconds // 3600)}:{int(seconds % 3600 // 60):02}:{int(seconds % 60):02}"


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path, help="folder of recorded runs, each with target.json and evidence.har")
    parser.add_argument("--targets", type=positive, default=20_000, metavar="NUMBER", help="(default: 20,000)")
    parser.add_argument("--cpu", type=float, default=4.0, metavar="SECONDS", help="of a core for each run (default: 4)")
    parser.add_argument("--cores", type=positive, default=4, metavar="NUMBER", help="of each machine (default: 4)")
    parser.add_argument("--threads", type=positive, default=16, metavar="NUMBER", help="of each machine (default: 16)")
    parser.add_argument("--machines", type=positive, nargs="+", default=[1, 2, 4, 8, 16, 32, 62], metavar="NUMBER")
    parser.add_argument(
        "--shared", type=positive, default=1, metavar="NUMBER", help="targets at one origin (default: 1)"
    )
    parser.add_argument("--slow", type=float, default=0.02, metavar="SHARE", help="slow services (default: 0.02)")
    parser.add_argument("--dead", type=float, default=0.03, metavar="SHARE", help="dead services (default: 0.03)")
    parser.add_argument("--rate", type=float, default=0.0, metavar="NUMBER", help="calls per second to each origin")
    parser.add_argument("--deadline", type=float, default=900, metavar="SECONDS", help="of a run (default: 900)")
    parser.add_argument("--retries", type=int, default=2, metavar="NUMBER", help="for the dead (default: 2)")
    parser.add_argument("--seed", type=int, default=0, metavar="NUMBER", help="(default: 0)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
