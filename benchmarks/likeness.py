"""Does the service that 'serve --like' makes of a run conform, and choose what the recorded one chose?

The suite runs against each twin of the self-test, and against the service that is made of this run, and compares the
profiles of both. With --faults it does the same with faults, and compares nothing.

Exit code 1: a service that was made does not conform, or is undecided although the twin is not.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace

from measure import parser_of, positive

from conformance.calibration.faults import FAULTS
from conformance.calibration.likeness import like
from conformance.calibration.run_one import Job, plan_of, run_of
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Variant
from conformance.model.report import Report
from conformance.model.text import shorten
from conformance.model.verdict import Outcome, Verdict
from conformance.reports.profile import profile
from conformance.run.documents import Documents
from conformance.run.verify import recorded_trace
from conformance.trace.trace import Trace


def main() -> None:
    """Make the runs, and print where the services differ and which ones do not conform."""
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", help="twins, or faults, in place of all")
    parser.add_argument("--faults", action="store_true", help="faults in place of twins")
    parser.add_argument("--every", type=positive, default=1, help="the distance between two that are taken")
    options = parser.parse_args()
    names = [*FAULTS] if options.faults else [*TWINS]
    jobs = [Job(name=name) for name in options.names or names[:: options.every]]
    wrong, equal, lost = 0, 0, Counter[str]()
    for job in jobs:
        report, trace = _run(job.variant, job)
        made = like(trace)
        again, other = _run(replace(job.variant, service=made.service, config=made.config), job)
        known = (Outcome.CONFORMS, Outcome.INCONCLUSIVE if options.faults else report.outcome, Outcome.CONFORMS_IN_PART)
        if again.outcome not in known:
            wrong += 1
            failed = [row.id for row in again.requirements if row.verdict is Verdict.FAIL]
            print(f"{job.name}: {report.outcome}, and the service made like it: {again.outcome} {failed}", flush=True)
        one, two = _chosen(report, trace), _chosen(again, other)
        for matter in [] if options.faults else [each for each in one if one[each] != two[each]]:
            lost[matter] += 1
            words = (shorten(", ".join(sorted(shown))) or "nothing" for shown in (one[matter], two[matter]))
            print(f"  {job.name}, {matter}: {', and the other: '.join(words)}", flush=True)
        equal += sum(one[each] == two[each] for each in one)
    if not options.faults:
        print(f"{equal} of {equal + lost.total()} matters are equal; the others: {lost.most_common()}")
    print(f"{wrong} of {len(jobs)} services that were made do not conform")
    sys.exit(1 if wrong else 0)


def _run(variant: Variant, job: Job) -> tuple[Report, Trace]:
    """Check a service with the options of a job, and return the report with what its files hold."""
    documents = Documents(run_of(variant, job, plan_of(job)))
    report, evidence = json.loads(json.dumps([documents.data, documents.evidence]))
    return documents.shown, recorded_trace(report, evidence)


def _chosen(report: Report, trace: Trace) -> dict[str, frozenset[str]]:
    """Return the words of what a run saw in each matter."""
    found = profile(report, trace.exchanges)
    return {each.id: each.words for each in (*found.facts, *found.matters)}


if __name__ == "__main__":
    main()
