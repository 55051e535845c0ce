"""Alterations of recorded runs whose digests were computed again: which of them does a verification find?

What it does not find influences no verdict, and is listed by kind. The signature of a bundle covers it as well.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from pathlib import Path

from measure import positive

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from alterations import KINDS, alter  # type: ignore[import-not-found]
from whole_runs import run_over  # type: ignore[import-not-found]

from conformance.calibration.sample import quick
from conformance.evidence import chain
from conformance.runner.verify import Unreadable, verify


def main() -> None:
    """Alter, verify and count; end with 1 where an alteration is missed that changes a verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alterations", type=positive, default=2_000, metavar="NUMBER")
    parser.add_argument("--runs", type=positive, default=20, metavar="NUMBER")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    found: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    for job in chance.sample(quick(), int(options.runs)):
        run = run_over(bend=job.variant)
        report, evidence = json.loads(json.dumps([run.data, run.evidence]))
        for _ in range(int(options.alterations / options.runs)):
            kind = chance.choice([*KINDS])
            altered, exchanges = alter(chance, kind, report, evidence)
            exchanges = chain.chained(exchanges)
            try:
                equal = verify(chain.sealed(altered, exchanges), exchanges).is_equal
            except Unreadable:
                equal = False
            (silent if equal else found)[kind] += 1
            if equal and altered["requirements"] != report["requirements"]:
                sys.exit(f"{job.name}: an alteration of a {kind} was missed, although the results differ")
    for kind in KINDS:
        print(f"  {kind:<20} {found[kind]:>5} found, {silent[kind]:>5} without influence on any verdict")
    print(f"{found.total() + silent.total()} alterations: {found.total()} found by recomputation (seed {options.seed})")


if __name__ == "__main__":
    main()
