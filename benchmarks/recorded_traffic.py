"""What `judge` finds in traffic that the suite did not make: the self-test's runs, without all that the suite knows.

The suite runs against each service, and its exchanges are stripped to what any program records as HAR: requests,
answers and times. These are judged. No conforming service may be accused. A fault is found *as what it is* if the
requirement that it violates fails (or warns), and *at all* if anything does. The traffic is that of a conformance
suite, so real traffic, which asks less, shows less.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from measure import parser_of, positive

from conformance.calibration.own_tests import services
from conformance.calibration.run_one import Job, attempt
from conformance.calibration.sample import NoSuchVariant, everything, only
from conformance.calibration.variant import Fault, Twin
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import ConfigurationFault
from conformance.model.verdict import Verdict
from conformance.run.plan import Plan
from conformance.run.traffic import judge_recording
from conformance.trace.har import har
from conformance.trace.recording import MOST
from conformance.trace.trace import Trace


@dataclass(frozen=True)
class Outcome:
    """What the stripped traffic of a service shows."""

    job: Job
    failed: Sequence[tuple[str, str]]
    """The requirements that fail, each with its first message."""
    warned: Sequence[tuple[str, str]]
    decided: int


def judged(job: Job) -> Outcome:
    """Return what the traffic of a run against a service shows."""
    kept: list[Trace] = []
    attempt(job, keep=kept.append)
    entries = [_stripped(each) for each in har(kept[0].exchanges)["log"]["entries"][:MOST]]
    try:
        rows = judge_recording(entries, kept[0].target.base_url, Plan()).run.report.requirements
    except ConfigurationFault:  # such as that no call of the interface was answered
        return Outcome(job, (), (), 0)
    of = {
        verdict: [(row.id, row.findings[0].message if row.findings else "") for row in rows if row.verdict is verdict]
        for verdict in (Verdict.FAIL, Verdict.WARN)
    }
    undecided = (Verdict.INCONCLUSIVE, Verdict.NOT_TESTED)
    return Outcome(job, of[Verdict.FAIL], of[Verdict.WARN], sum(row.verdict not in undecided for row in rows))


def _stripped(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry without what the suite adds to HAR; a body that an earlier entry holds is lost."""
    text = json.dumps(entry)
    for mark in KNOWN_CREDENTIALS.values():  # where a program keeps the token itself
        text = text.replace(f"[{mark}]", f"{mark.lower()}-Qm7xT2vKp9RzW4nL")
    data: dict[str, Any] = json.loads(text)
    for part in (data, data["request"], data["request"].get("postData", {}), data["response"]["content"]):
        for name in [each for each in part if each.startswith("_")]:
            del part[name]
    return data


def main() -> None:
    """Judge the traffic of each service and print the numbers."""
    options = _options()
    with ProcessPoolExecutor(options.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(judged, options.chosen))
    faults = [each for each in found if isinstance(each.job.variant, Fault)]
    twins = [each for each in found if not isinstance(each.job.variant, Fault)]
    named = [each for each in faults if _is_found(each)]
    seen = [each for each in faults if each.failed or each.warned]
    accused = [each for each in twins if each.failed or _unexpected(each)]
    print(f"faults found as what they are: {len(named)} of {len(faults)}; at all: {len(seen)}")
    print(f"conforming services accused: {len(accused)} of {len(twins)}")
    for each in accused:
        print(f"  {each.job.name}: {[*each.failed, *_unexpected(each)]}")
    if options.missed:
        print("missed:", ", ".join(each.job.name for each in faults if each not in named))


def _is_found(outcome: Outcome) -> bool:
    variant = outcome.job.variant
    return isinstance(variant, Fault) and variant.requirement in dict([*outcome.failed, *outcome.warned])


def _unexpected(outcome: Outcome) -> list[tuple[str, str]]:
    """Return the warnings of a conforming service that its declaration does not accept."""
    variant = outcome.job.variant
    accepted = variant.acceptable if isinstance(variant, Twin) else {}
    return [(id, message) for id, message in outcome.warned if Verdict.WARN not in accepted.get(id, ())]


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--sample", type=positive, default=60, metavar="N", help="N faults, half as many twins (60)")
    which.add_argument("--all", action="store_true", help="try every fault and twin")
    which.add_argument("--twins", action="store_true", help="try every twin")
    which.add_argument("--only", action="append", metavar="NAME", help="try this service; may be repeated")
    parser.add_argument("--missed", action="store_true", help="name the faults that are not found as what they are")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count(), help="services at a time (default: the cores)")
    options = parser.parse_args()
    try:
        options.chosen = (
            only(options.only) if options.only else everything() if options.all else services(options.sample)
        )
    except NoSuchVariant as error:
        parser.error(str(error))
    if options.twins:
        options.chosen = [job for job in everything() if not job.variant.faults]
    return options


if __name__ == "__main__":
    main()
