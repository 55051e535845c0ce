"""The calibration set over HTTP: the command against each service in a process of its own, on this machine.

The self-test has no network, its clock advances with the calls, and simultaneous requests run one after another. Here
the system clock counts. Each run has the options of its service, such as --complete-command. Prints each service whose
verdicts differ from those that it declares. Tries the twins by default.

With --verify, each run is also computed again from its evidence.

Exit code 1: a conforming service fails or has no verdicts, or a run is not given again.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import COMMAND, parser_of, positive, report_of
from served_variant import EXPIRED, FOREIGN, RESET

from conformance.calibration.run_one import Job, Trial
from conformance.calibration.sample import NoSuchVariant, everything, only
from conformance.calibration.trial_result import Mark, TrialResult, judge_trial
from conformance.calibration.variant import Given, Variant
from conformance.model.findings import Finding
from conformance.model.target import Budget
from conformance.model.verdict import Blame, Verdict
from conformance.reference.process import ReferenceProcess

not_given_again: list[str] = []
"""The services whose runs --verify found to differ."""


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
                print(f"  {each.trial.job.name}: {each.mark}. {each.why}", flush=True)
    number = len(options.services)
    print(
        f"{number} services over HTTP in {time.perf_counter() - began:.0f} s, {options.jobs} at a time: "
        f"{number - len(amiss)} as they declare  (Python {sys.version.split()[0]})"
    )
    accused = [each for each in amiss if each.mark is Mark.FAILED or each.trial.broken]
    sys.exit(1 if accused or not_given_again else 0)


def _judged(job: Job) -> TrialResult:
    program = ("served_variant", job.name, str(job.seed))
    with TemporaryDirectory() as folder, ReferenceProcess((*program, folder)) as service:
        began, options = time.perf_counter(), options_of(job.variant, folder)
        try:
            look = partial(_verify, job) if job.verify else str
            report = report_of(service.base_url, service.tokens, "--seed", str(job.seed), *options, look=look)
        except RuntimeError as error:
            return judge_trial(Trial(job=job, broken=str(error)))
        return judge_trial(_trial(job, report, time.perf_counter() - began))


def options_of(variant: Variant, folder: str) -> list[str]:
    """Return the options of the run of a variant; its commands leave files in `folder`."""
    given = {
        Given.COMPLETE_COMMAND: f"touch {shlex.quote(folder)}/{{requestId}}",
        Given.RESET_COMMAND: f"touch {shlex.quote(folder)}/{RESET}",
        Given.EXPIRED_TOKEN: EXPIRED,
        Given.FOREIGN_TOKEN: FOREIGN,
    }
    options = [] if variant.is_in_use else ["--empty-account"]
    for each in variant.given:
        options += [f"--{each}", given[each]]
    for name, value in variant.run.items():
        options += _of_the_budget(value) if isinstance(value, Budget) else [f"--{name.replace('_', '-')}", str(value)]
    return options


def _of_the_budget(budget: Budget) -> Iterator[str]:
    usual = asdict(Budget())
    for name, value in asdict(budget).items():
        if value != usual[name]:
            yield f"--{name.replace('_', '-')}"
            if value is not True:
                yield str(value)


def _verify(job: Job, folder: Path) -> None:
    done = subprocess.run([COMMAND, "verify", str(folder)], capture_output=True, text=True, check=False)
    if done.returncode:
        not_given_again.append(job.name)
        print(f"  {job.name} is not given again (exit code {done.returncode}):\n{done.stdout}", flush=True)


def _trial(job: Job, report: dict[str, object], seconds: float) -> Trial:
    rows = report["requirements"]
    assert isinstance(rows, list)
    return Trial(
        job=job,
        verdicts={row["id"]: Verdict(row["verdict"]) for row in rows},
        findings={
            row["id"]: tuple(
                Finding(verdict=Verdict(each["verdict"]), blame=Blame(each["blame"]), message=each["message"])
                for each in row["findings"]
                if each["verdict"] != Verdict.OBSERVED
            )
            for row in rows
        },
        alerts=tuple(row["id"] for row in rows if any(each["alert"] for each in row["findings"])),
        seconds=seconds,
    )


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="try the faults as well")
    which.add_argument(
        "--only", action="append", metavar="NAME", help="try this fault, twin or requirement's faults; may be repeated"
    )
    parser.add_argument("--verify", action="store_true", help="compute each run again from its evidence")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count(), help="services at a time (default: the cores)")
    options = parser.parse_args()
    try:
        options.services = only(options.only) if options.only else everything()
    except NoSuchVariant as error:
        parser.error(str(error))
    options.services = [replace(job, verify=options.verify) for job in options.services]
    if not options.all and not options.only:
        options.services = [job for job in options.services if not job.variant.faults]
    return options


if __name__ == "__main__":
    main()
