"""Are the reproduction scripts true that a run hands out?

For each fault of the self-test, this script makes a whole run, then starts the service with the fault, and one without
it that has the same tokens and settings. It runs the script of each finding against both: on the faulty service the
deviation has to persist, on the other one not. A script that does not show it is tried again, by --attempts: a mistake
by chance need not show each time. It counts what scripts leave in the account, and whether they name it.

Exit code 1: a script persists on a service without the fault, ends with a traceback or not at all, or leaves a request
behind that it does not name.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from measure import TOKEN_VARIABLES, parser_of, positive

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from cli_services import Served, listening  # type: ignore[import-not-found]

from conformance.calibration.faults import FAULTS
from conformance.calibration.run_one import Job, run_of, users_of
from conformance.calibration.variant import Fault, Variant
from conformance.model.findings import Finding
from conformance.model.text import shorten
from conformance.reference.config import ReferenceConfig
from conformance.reference.service import Service
from conformance.reports.scripts import reproduction
from conformance.reports.scripts.calls import Recorded
from conformance.run.documents import Documents
from conformance.run.plan import Plan
from conformance.trace.har import exchanges_of

LONGEST = 120
"""Seconds after which a script that does not end counts as hanging."""
SAID = {0: "not shown", 1: "persists", 2: "not tested"}
DEFECTS = ("persists wrongly", "traceback", "hangs", "left behind in silence")

Line = tuple[str, str]
"""What is counted, and its place with the reason."""


@dataclass(frozen=True)
class Ended:
    """How a script ended, and how many requests there were then."""

    said: str
    out: str
    left: int

    @property
    def reason(self) -> str:
        """Its last line."""
        return (self.out.strip().splitlines() or [""])[-1]


def recorded_run(variant: Variant, name: str, seed: int) -> Documents:
    """Return what a whole run against a service gives, as a run of the self-test makes it."""
    job = Job(name=name, seed=seed)
    documents = Documents(run_of(variant, job, Plan()))
    assert documents.data
    assert documents.evidence
    return documents


def conforming(fault: Fault) -> Variant:
    """Return a service without the fault; its settings are the same, unless they alone are the mistake."""
    config = {} if fault.service is Service else fault.config
    return Variant(name="conforming", summary="Conforms.", config=config, run=fault.run, given=fault.given)


@contextmanager
def served(variant: Variant, seed: int) -> Iterator[Served]:
    """Serve a variant with the tokens of its run."""
    settings = variant.configured(ReferenceConfig(users=users_of(seed)))
    app = variant.app(settings)
    with listening(app) as origin:
        yield Served(origin + settings.path_prefix, app.state.service, [])


def ended(script: str, service: Served) -> Ended:
    """Run a script against a service, then empty its account."""
    tokens = service.service.config.tokens
    environment = {"PATH": os.environ["PATH"], **dict(zip(TOKEN_VARIABLES, tokens, strict=False))}
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-", service.base_url],
            input=script,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ended("hangs", "", service.live)
    said = SAID.get(done.returncode, f"exit code {done.returncode}")
    left = service.live
    for request in service.service.store.all():
        service.service.store.remove(request.id)
    return Ended("traceback" if "Traceback" in done.stderr else said, done.stdout + done.stderr, left)


def tried(name: str, seed: int, attempts: int) -> list[Line]:
    """Return what the findings of one fault show."""
    fault = FAULTS[name]
    try:
        documents = recorded_run(fault, name, seed)
    except Exception as error:
        return [("faults whose run cannot be made", f"{name}: {error!r}")]
    return [("faults", ""), *_scripts(fault, documents, seed, attempts)]


def _scripts(fault: Fault, documents: Documents, seed: int, attempts: int) -> Iterator[Line]:
    recorded = Recorded(exchanges_of(documents.evidence))
    found = [
        (row, finding)
        for row in documents.shown.requirements
        for finding in row.findings
        if finding.verdict in ("fail", "warn")
    ]
    scripts = [reproduction.script(documents.shown, recorded, row, finding) for row, finding in found]
    plain = conforming(fault)
    with served(fault, seed) as faulty, served(plain, seed) as other:
        for (row, finding), script in zip(found, scripts, strict=True):
            where = f"{fault.name} {row.id}"
            yield "findings", ""
            if script is None:
                yield f"findings without a script: {_without(finding)}", where
                continue
            yield "findings with a script", ""
            number, first = 0, Ended("", "", 0)
            while number < attempts and first.said != "persists":
                number, first = number + 1, ended(script, faulty)
                yield from _left(first, f"{where} (faulty)")
            again = f" at attempt {number}" if number > 1 and first.said == "persists" else ""
            yield (
                f"faulty: {first.said}{again}",
                f"{where}: {first.reason}" if first.said != "persists" or again else "",
            )
            second = ended(script, other)
            yield from _left(second, f"{where} (conforming)")
            word = "persists wrongly" if second.said == "persists" else second.said
            yield f"conforming: {word}", f"{where}: {second.reason}" if word != "not shown" else ""


def _left(end: Ended, where: str) -> Iterator[Line]:
    if end.left:
        named = end.out.lower().count("left behind: ")
        word = "left behind and named" if named >= end.left else "left behind in silence"
        yield f"scripts: {word}", f"{where}: {end.left}, {named} named; {end.reason}"


def _without(finding: Finding[str]) -> str:
    return "no answer decides it alone" if finding.probe is None else "its calls cannot be repeated"


def main() -> None:
    """Try the faults, and print what was counted, with the places of what is not as it has to be."""
    parser = parser_of(__doc__)
    parser.add_argument("--every", type=positive, default=10, metavar="N", help="take every Nth fault")
    parser.add_argument("--seed", type=int, default=0, help="decides which, and is the seed of the runs")
    parser.add_argument("--attempts", type=positive, default=3, help="tries of a script that shows nothing")
    parser.add_argument("--jobs", type=positive, default=2, help="faults at a time")
    parser.add_argument("--only", default="", metavar="NAMES", help="only these faults, comma-separated")
    options = parser.parse_args()
    began = time.perf_counter()
    names = [name for name, fault in FAULTS.items() if not fault.undetectable]
    random.Random(0).shuffle(names)
    names = options.only.split(",") if options.only else names[options.seed % options.every :: options.every]
    counted: Counter[str] = Counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        futures = [pool.submit(tried, name, options.seed, options.attempts) for name in names]
        for future in as_completed(futures):
            for what, where in future.result():
                counted[what] += 1
                if where:
                    print(shorten(f"{what}: {where}", 400), flush=True)
    print(f"Every fault of {options.every}, seed {options.seed}, {time.perf_counter() - began:.0f} s")
    for what, number in sorted(counted.items()):
        print(f"  {number:>6}  {what}")
    sys.exit(1 if any(what.endswith(DEFECTS) for what in counted) else 0)


if __name__ == "__main__":
    main()
