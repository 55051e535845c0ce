"""Which faults does only the part that schemathesis generates find? Each is tried with and without it.

    python benchmarks/generation.py [--seeds 0,1,2] [ID or fault …]

Without arguments, the faults of the requirements that generated calls can decide are tried with seed 0.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from unittest.mock import patch

from conformance.calibration.faults import FAULTS
from conformance.calibration.judgement import judge_trial
from conformance.calibration.run_one import Job, Kind, attempt
from conformance.generation import cases

REQUIREMENTS = ("3-removed", "4.1-answers-200", "4.1-requested-types", "4.2-answers-200", "4.3-answers-ok", "7-")
"""Requirements, or their beginnings, that the checks of generated calls decide."""


def found(name: str, seed: int, *, generated: bool) -> bool:
    """Tell whether a run detects a fault, with or without the calls that schemathesis generates."""
    with nullcontext() if generated else patch.object(cases, "_drawn", lambda _: ()):
        return judge_trial(attempt(Job(kind=Kind.FAULT, name=name, seed=seed))).caught


def compared(job: tuple[str, int]) -> tuple[str, int, bool, bool]:
    """Return a fault and a seed, and whether the fault is found with and without generated calls."""
    name, seed = job
    return name, seed, found(name, seed, generated=True), found(name, seed, generated=False)


def chosen(wanted: list[str]) -> Iterator[str]:
    """Yield the names of the faults to try."""
    for name, fault in FAULTS.items():
        if name in wanted or any(fault.requirement.startswith(each) for each in wanted):
            yield name


def main() -> None:
    """Print the faults that a run finds only with, and only without, generated calls."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0")
    parser.add_argument("wanted", nargs="*", default=list(REQUIREMENTS))
    options = parser.parse_args()
    seeds = [int(each) for each in options.seeds.split(",")]
    jobs = [(name, seed) for name in chosen(options.wanted) for seed in seeds]
    only: dict[str, list[int]] = {}
    missed: dict[str, list[int]] = {}
    with ProcessPoolExecutor() as pool:
        for name, seed, generated, explicit in pool.map(compared, jobs):
            if generated and not explicit:
                only.setdefault(name, []).append(seed)
            if not generated:
                missed.setdefault(name, []).append(seed)
    print(f"{len(jobs)} runs with and without generated calls.")
    for name, those in only.items():
        print(f"only with generated calls: {name} (seeds {', '.join(map(str, those))})")
    for name, those in missed.items():
        print(f"missed: {name} (seeds {', '.join(map(str, those))})")


if __name__ == "__main__":
    main()
