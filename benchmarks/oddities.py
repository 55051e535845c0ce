"""Is a conforming service failed where two permitted peculiarities meet, or is a mistake missed beside one?

Each twin of the self-test has one peculiarity. This script combines some in one service, in pairs and triples, and a
fault with one of them. It draws only what changes an answer to its own calls: none that concerns connections, delays
or simultaneous calls. It prints each `fail` and `warn` that no part explains, each alert that a service without a fault
does not declare, and each fault that is not found. Two conforming services need not make a third: read what is printed
before you call it a defect of the suite.

Exit code 1: something is reported that no part explains.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator

from measure import parser_of, positive

from conformance.calibration.combinations import Combination, can_combine, draw, faults_to_combine
from conformance.calibration.pool import attempt_all
from conformance.calibration.run_one import Job, Trial
from conformance.calibration.trial_result import Sight, judge_trial
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Twin
from conformance.model.text import shorten


def main() -> None:
    """Make the runs, and print what no part of their services explains."""
    parser = parser_of(__doc__)
    parser.add_argument("--twins", type=positive, default=200, help="combinations of twins")
    parser.add_argument("--faults", type=positive, default=200, help="pairs of a fault and a twin")
    parser.add_argument("--seed", type=int, default=0, help="draws the combinations")
    parser.add_argument("--jobs", type=positive, default=2, help="runs at a time")
    options = parser.parse_args()
    began = time.perf_counter()
    names = [*draw(options.twins, options.seed, TWINS), *_beside(options.faults, options.seed)]
    trials = attempt_all([Job(name=name) for name in names], workers=options.jobs)
    wrong, missed, tried = 0, 0, [trial for trial in trials if not trial.defective]
    for trial in tried:
        reported, passed = list(_wrong(trial)), list(_missed(trial))
        wrong, missed = wrong + bool(reported), missed + bool(passed)
        for line in (*reported, *passed):
            print(f"{trial.job.name}\n  {shorten(line, 400)}")
    print(
        f"{options.twins} combinations of twins and {options.faults} faults beside one, seed {options.seed}, in "
        f"{time.perf_counter() - began:.0f} s: {wrong} services with a report that no part explains, {missed} with a "
        f"fault that is not found, {len(trials) - len(tried)} that raise an error themselves"
    )
    sys.exit(1 if wrong else 0)


def _beside(number: int, seed: int) -> Iterator[str]:
    """Yield the names of this number of different pairs of a fault and a twin that both show."""
    chance = random.Random(seed)
    faults, twins = faults_to_combine(), list(TWINS)
    drawn: set[tuple[str, str]] = set()
    while len(drawn) < number:
        pair = chance.choice(faults), chance.choice(twins)
        if pair not in drawn and can_combine(pair):
            drawn.add(pair)
            yield " + ".join(pair)


def _wrong(trial: Trial) -> Iterator[str]:
    service = trial.job.variant
    assert isinstance(service, Combination)
    if trial.broken:
        yield trial.broken
    for each in judge_trial(trial).beside:
        yield str(each)
    declared = {alert for each in service.parts if isinstance(each, Twin) for alert in each.alerts}
    for alert in trial.alerts if not service.faults else ():
        if alert not in declared:
            yield f"alert {alert}"


def _missed(trial: Trial) -> Iterator[str]:
    for each in judge_trial(trial).seen:
        if each.sight is Sight.MISSED:
            yield f"missed: {each.reported}"


if __name__ == "__main__":
    main()
