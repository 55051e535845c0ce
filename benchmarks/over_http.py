"""The zoo as users meet it: the command against each service in a process of its own, over HTTP on this machine.

A self-test knows no network, its clocks step with the calls, and what is asked side by side comes one after another.
Here everything takes the time it takes: what completes after twenty milliseconds may have done so between two calls.
Prints each service whose verdicts are others than it declares. Tries the twins unless told otherwise.

Exit code 1: a service that conforms was failed, or came to no verdicts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from measure import COMMAND, positive

from conformance.calibration.judgement import Judgement, Mark, judge_trial
from conformance.calibration.run_one import Job, Kind, Said, Trial
from conformance.calibration.sample import NoSuchVariant, everything, only
from conformance.model.verdict import Verdict
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.process import ReferenceProcess

USERS = (User("alice.example", "alice-Qm7xT2vKp9RzW4nL"), User("bob.example", "bob-Yh3cF8jSd5GtB6uE"))
LONGEST = 600
"""Seconds that one run may take."""


def main() -> None:
    """Try each service, print what came, and say by the exit code whether anything was failed that conforms."""
    options = _options()
    began = time.perf_counter()
    amiss = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for each in pool.map(_judged, options.services):
            if not each.good:
                amiss.append(each)
                # At once: it takes minutes, and who has seen enough may stop it.
                print(f"  {each.trial.job.kind} {each.trial.job.name}: {each.mark}. {each.why}", flush=True)
    number = len(options.services)
    print(
        f"{number} services over HTTP in {time.perf_counter() - began:.0f} s, {options.jobs} at a time: "
        f"{number - len(amiss)} as they declare  (Python {sys.version.split()[0]})"
    )
    accused = [each for each in amiss if each.mark is Mark.FAILED or each.trial.broken]
    sys.exit(1 if accused else 0)


def _judged(job: Job) -> Judgement:
    config = ReferenceConfig(users=USERS, seed=job.seed + 1)
    variant = job.variant
    program = ("conformance.reference",) if job.kind is Kind.REFERENCE else ("conformance.calibration", job.name)
    with ReferenceProcess(config, program) as service, tempfile.TemporaryDirectory() as name:
        tokens = dict(zip(("DRSI_TOKEN", "DRSI_OTHER_TOKEN"), variant.configured(config).tokens, strict=False))
        command = [COMMAND, "check", service.base_url, "--quiet", "--seed", str(job.seed), "--output", name]
        if job.kind is Kind.FAULT:
            command.append("--empty-account")
        began = time.perf_counter()
        done = subprocess.run(
            command,
            env={**os.environ, **tokens},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST,
        )
        seconds = time.perf_counter() - began
        report = Path(name, "report.json")
        if not report.exists():
            return judge_trial(Trial(job=job, broken=done.stderr.strip()[-500:] or "It wrote no report."))
        return judge_trial(_trial(job, json.loads(report.read_text("utf-8")), seconds))


def _trial(job: Job, report: dict[str, object], seconds: float) -> Trial:
    rows = report["requirements"]
    assert isinstance(rows, list)
    return Trial(
        job=job,
        verdicts={row["id"]: Verdict(row["verdict"]) for row in rows},
        said=tuple(
            Said(
                requirement=row["id"],
                verdict=Verdict(each["verdict"]),
                check=each["check"],
                message=each["message"],
            )
            for row in rows
            for each in row["findings"]
            if each["verdict"] != Verdict.OBSERVED
        ),
        seconds=seconds,
    )


def _options() -> argparse.Namespace:
    summary, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="try the faults as well")
    which.add_argument(
        "--only", action="append", metavar="NAME", help="try this fault, twin or requirement's faults; may be repeated"
    )
    parser.add_argument("--jobs", type=positive, default=os.cpu_count(), help="services at a time (default: the cores)")
    options = parser.parse_args()
    try:
        options.services = only(options.only) if options.only else everything()
    except NoSuchVariant as error:
        parser.error(str(error))
    if not options.all and not options.only:
        options.services = [job for job in options.services if job.kind is not Kind.FAULT]
    return options


if __name__ == "__main__":
    main()
