"""Does a verdict hang on chance? Many runs with random seeds against services that conform, in this machine's memory.

The seed decides what a run asks and in which order, and the service's identifiers and tokens. What is asked side by
side comes as the machine takes it, unlike in a self-test. Every run has to come to the accusations of seed 0. Prints
each `fail` or `warn` that seed 0 did not show, and each that only seed 0 showed.

Exit code 1: at least one `fail`, with whatever seed, which is a false accusation, or a run without verdicts.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from random import Random

from measure import parser_of, positive

from conformance.calibration.pool import attempt_all
from conformance.calibration.run_one import BAD, REFERENCE_JOB, Job, Kind, Trial
from conformance.model.verdict import Verdict

TWINS = {
    "identifiers-like-ulid": "random identifiers that grow with time: close to what the statistics of 2.1 accuse",
    "mixed-versions": "128 random bits, so that version and variant differ with every seed",
    "zeros-in-one-identifier": "what chance may do to one identifier of many",
    "state-is-shown-when-read-only": "states that change between two calls",
    "completes-after-a-moment-and-is-gone": "requests that vanish while a check looks at them",
    "list-in-another-order-each-time": "a list that is never the same twice",
    "odd-type-identifiers": "names of data types that hardly any probe value may look like",
    "language-negotiated-softly": "a language selector whose effect has to be told from none",
    "too-many-requests-now-and-then": "calls that have to be retried, each time at another place of the run",
    "limit-of-seven": "a higher limit, which takes many creations and races",
}
"""Each with the way in which chance could mislead a run against it."""
MOST_SEEDS = 999_999
"""Tokens of a trial have six digits for the seed."""


def main() -> None:
    """Make the runs, print what came, and say by the exit code whether anything was failed."""
    options = _options()
    chance = Random(options.seed)
    seeds = [0, *chance.sample(range(1, MOST_SEEDS + 1), options.seeds)]
    services = [REFERENCE_JOB, *(Job(kind=Kind.TWIN, name=name) for name in TWINS)]
    jobs = [replace(service, seed=seed, in_turn=False) for service in services for seed in seeds]
    began = time.perf_counter()
    trials = attempt_all(jobs, workers=options.jobs)
    seconds = time.perf_counter() - began
    print(
        f"{len(trials)} runs: {len(services)} services, seed 0 and {options.seeds} random ones each, "
        f"in {seconds:.0f} s, {options.jobs} at a time  (Python {sys.version.split()[0]})"
    )
    firsts = {trial.job.name: trial for trial in trials if trial.job.seed == 0}
    differing = [line for trial in trials for line in _differing(firsts[trial.job.name], trial)]
    failed = [line for trial in trials for line in _failed(trial)]
    print(f"  fail verdicts, or runs without verdicts: {len(failed)}")
    print(f"  fail and warn verdicts differing from seed 0: {len(differing)}")
    for line in dict.fromkeys(failed + differing):
        print(f"    {line}")
    asked = [trial.exchanges for trial in trials if trial.job.kind is Kind.REFERENCE]
    print(f"  exchanges with the reference: {min(asked)} to {max(asked)} (at most 560)")
    sys.exit(1 if failed else 0)


def _failed(trial: Trial) -> list[str]:
    if trial.broken:
        return [f"{_who(trial)}: {trial.broken}"]
    return [_told(trial, each) for each, verdict in trial.verdicts.items() if verdict is Verdict.FAIL]


def _differing(first: Trial, trial: Trial) -> list[str]:
    return [
        f"{_told(trial, each)} (seed 0: {first.verdicts.get(each)})"
        for each, verdict in trial.verdicts.items()
        if verdict is not first.verdicts.get(each) and (verdict in BAD or first.verdicts.get(each) in BAD)
    ]


def _told(trial: Trial, requirement: str) -> str:
    said = next((each.message for each in trial.findings.get(requirement, ())), "")
    return f"{_who(trial)}: {requirement} {trial.verdicts[requirement]}{': ' if said else ''}{said}"


def _who(trial: Trial) -> str:
    return f"{trial.job.name}, seed {trial.job.seed}"


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument(
        "--seeds", type=positive, default=300, metavar="N", help="random seeds for each service (default: 300)"
    )
    parser.add_argument("--seed", type=int, default=0, help="what the random seeds are drawn with (default: 0)")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count(), help="runs at a time (default: the cores)")
    options = parser.parse_args()
    if options.seeds > MOST_SEEDS:
        parser.error(f"argument --seeds: there are {MOST_SEEDS} seeds, not {options.seeds}")
    return options


if __name__ == "__main__":
    main()
