"""How often do generated sequences find the faults that only they find? Whole runs with the seeds 0 to 9.

Prints for each fault of `calibration/faults/orders.py` the seeds that find it, and whether only generated sequences do.
With `--twins`, it also tries every conforming service of clauses 3, 4 and 8 with the same seeds.

Exit code 1: seed 0, which the self-test uses, misses one, another check finds one, or a conforming service is failed.
"""

from __future__ import annotations

import sys

from measure import parser_of

from conformance.calibration.faults import FAULTS
from conformance.calibration.judgement import GOOD, judge_trial
from conformance.calibration.pool import attempt_all
from conformance.calibration.run_one import Job, Kind, Trial
from conformance.calibration.twins import TWINS

SEEDS = range(10)
OF_SEQUENCES = "test_8_sequences.py"
CLAUSES = ("3", "4", "8")


def main() -> None:
    """Make the runs, and print what they found."""
    parser = parser_of(__doc__)
    parser.add_argument("--twins", action="store_true", help="also try the conforming services of clauses 3, 4 and 8")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    options = parser.parse_args()
    names = [name for name, fault in FAULTS.items() if fault.service.__module__.endswith(".orders")]
    wrong = [line for name in names for line in _of_fault(name, options.jobs)]
    if options.twins:
        twins = [name for name, twin in TWINS.items() if twin.clause.partition(".")[0] in CLAUSES]
        jobs = [Job(kind=Kind.TWIN, name=name, seed=seed) for name in twins for seed in SEEDS]
        trials = attempt_all(jobs, workers=options.jobs)
        judged = [judgement for trial in trials if (judgement := judge_trial(trial)).mark not in GOOD]
        wrong += [f"{each.trial.job.name}, seed {each.trial.job.seed}: {each.why}" for each in judged]
        print(f"{len(twins)} conforming services, seeds 0 to {SEEDS[-1]}: {len(judged)} of {len(trials)} runs wrong")
    for line in wrong:
        print(f"  {line}")
    sys.exit(1 if wrong else 0)


def _of_fault(name: str, workers: int) -> list[str]:
    trials = attempt_all([Job(kind=Kind.FAULT, name=name, seed=seed) for seed in SEEDS], workers=workers)
    found = sorted(trial.job.seed for trial in trials if judge_trial(trial).mark in GOOD)
    print(f"{name}: {len(found)} of {len(SEEDS)} seeds ({', '.join(map(str, found))})")
    others = {check for trial in trials for check in _others(trial)}
    wrong = [f"{name}: {check} finds it too" for check in sorted(others)]
    return wrong if 0 in found else [f"{name}: seed 0 misses it", *wrong]


def _others(trial: Trial) -> list[str]:
    return [check for check in trial.objected if not check.startswith(OF_SEQUENCES)]


if __name__ == "__main__":
    main()
