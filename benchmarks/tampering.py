"""Alterations of recorded runs whose digests were computed again: which of them does a verification find?

What it does not find influences no verdict, and is listed by kind. The signature of a bundle covers it as well.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from measure import positive

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from alterations import KINDS, alter  # type: ignore[import-not-found]
from whole_runs import run_over  # type: ignore[import-not-found]

from conformance.calibration.run_one import Job
from conformance.calibration.sample import quick
from conformance.run.documents import Documents
from conformance.run.verify import Unreadable, verify
from conformance.trust import chain


def altered(job: Job, number: int, seed: int) -> tuple[Counter[str], Counter[str]]:
    """Alter the run of a service so often; return how many alterations of each kind were found, and how many not."""
    chance = random.Random(f"{seed}/{job.name}")
    found: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    run = run_over(bend=job.variant)
    documents = Documents(run)
    report, evidence = json.loads(json.dumps([documents.data, documents.evidence]))
    for _ in range(number):
        kind = chance.choice([*KINDS])
        changed, exchanges = alter(chance, kind, report, evidence)
        exchanges = chain.chained(exchanges)
        try:
            equal = verify(chain.sealed(changed, exchanges), exchanges).is_equal
        except Unreadable:
            equal = False
        (silent if equal else found)[kind] += 1
        if equal and changed["requirements"] != report["requirements"]:
            raise Missed(f"{job.name}: an alteration of a {kind} was missed, although the results differ")
    return found, silent


class Missed(Exception):
    """An alteration that changes a result was not found."""


def main() -> None:
    """Alter, verify and count; end with 1 where an alteration is missed that changes a verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alterations", type=positive, default=2_000, metavar="NUMBER")
    parser.add_argument("--runs", type=positive, default=20, metavar="NUMBER")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    jobs = random.Random(options.seed).sample(quick(), int(options.runs))
    each = partial(altered, number=int(options.alterations / options.runs), seed=options.seed)
    found: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    with ProcessPoolExecutor() as pool:
        try:
            for of_one in pool.map(each, jobs):
                found += of_one[0]
                silent += of_one[1]
        except Missed as missed:
            sys.exit(str(missed))
    for kind in KINDS:
        print(f"  {kind:<20} {found[kind]:>5} found, {silent[kind]:>5} without influence on any verdict")
    print(f"{found.total() + silent.total()} alterations: {found.total()} found by recomputation (seed {options.seed})")


if __name__ == "__main__":
    main()
