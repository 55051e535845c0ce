"""The suite beside schemathesis alone, over the faults and twins that ship with the suite.

Each service is tried by both in this machine's memory, without sockets, with the same seed, tokens and configuration.
Schemathesis gets what its user would give it: the document that `drsi-conformance openapi` prints (or --document),
the token of one user as a header, all phases, and all checks but the two that ask for more than the specification
states: positive_data_acceptance (any string for a data type is to be accepted) and unsupported_method. Everything else
is as its command has it by default.

How to read it: more of the first two rows is better, less of all others. A fault is reported *as what it is* when the
requirement that it breaks comes to `fail` (`warn` for a recommendation), and *at all* when anything fails; for
schemathesis any failure or error counts, whatever it is about. A conforming service is accused when anything fails
or, by the suite, when any verdict is another than the twin declares to be right.

Without options a sample that is always the same is tried, which takes some minutes; --all takes about an hour on two
cores.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

import schemathesis
from measure import parser_of, positive
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema
from starlette.types import ASGIApp, Receive, Scope, Send

from conformance import NAME, __version__
from conformance.calibration.judgement import GOOD, Judgement, judge_trial
from conformance.calibration.own_tests import services
from conformance.calibration.pool import attempt_all
from conformance.calibration.run_one import REFERENCE_JOB, Job, Kind
from conformance.calibration.sample import NoSuchVariant, everything, only
from conformance.model.verdict import Verdict
from conformance.reference.config import ReferenceConfig, User
from conformance.schema.documents import bundled

BEYOND_THE_SPECIFICATION = ("positive_data_acceptance", "unsupported_method")
USERS = (User("alice.example", "alice-Qm7xT2vKp9RzW4nL"), User("bob.example", "bob-Yh3cF8jSd5GtB6uE"))
TIMEOUT = 30
"""Seconds for one answer, which is also what the suite allows."""


def main() -> None:
    """Try each service by both and print them side by side."""
    options = _options()
    document = options.document or bundled()
    jobs = [replace(job, seed=options.seed) for job in options.jobs_to_try]
    ours = [judge_trial(trial) for trial in attempt_all(jobs, workers=options.jobs, on_done=_counted(len(jobs), NAME))]
    told = _counted(len(jobs), "schemathesis")
    # A fresh interpreter for each worker: schemathesis keeps threads and an event loop.
    with ProcessPoolExecutor(options.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        theirs = []
        for outcome in pool.map(partial(fuzz, document=document, excluded=BEYOND_THE_SPECIFICATION), jobs):
            theirs.append(outcome)
            told(outcome)
        plain = pool.submit(fuzz, replace(REFERENCE_JOB, seed=options.seed), document=document, excluded=()).result()
    print(
        f"{NAME} {__version__} beside schemathesis {schemathesis.__version__}, seed {options.seed}, "
        f"{options.jobs} at a time  (Python {sys.version.split()[0]}, {os.cpu_count()} cores)"
    )
    for line in _table(ours, theirs):
        print(f"  {line}")
    said = f"accused by {', '.join(plain.findings)}" if plain.findings else "not accused"
    print(f"  The reference service itself, with every check of schemathesis: {said}")
    _print_details(ours, theirs)


def _table(ours: Sequence[Judgement], theirs: Sequence[Outcome]) -> list[str]:
    is_fault = [each.job.kind is Kind.FAULT for each in theirs]
    fails = [bool(each.trial.broken) or Verdict.FAIL in each.trial.verdicts.values() for each in ours]
    found = [bool(each.findings) for each in theirs]
    rows = [
        ("", NAME, "schemathesis"),
        ("faults reported as what they are", _share(is_fault, [each.caught for each in ours]), "-"),
        ("faults reported at all", _share(is_fault, fails), _share(is_fault, found)),
    ]
    conforming = [not fault for fault in is_fault]
    rows += [
        (
            "conforming services accused",
            _share(conforming, [each.mark not in GOOD for each in ours]),
            _share(conforming, found),
        ),
        (
            "requests to each service",
            _middle([each.trial.exchanges for each in ours]),
            _middle([each.requests for each in theirs]),
        ),
        (
            "seconds for each service",
            _middle([each.trial.seconds for each in ours]),
            _middle([each.seconds for each in theirs]),
        ),
        (
            "seconds of all added up",
            f"{sum(each.trial.seconds for each in ours):.0f}",
            f"{sum(each.seconds for each in theirs):.0f}",
        ),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _share(counted: Sequence[bool], held: Sequence[bool]) -> str:
    """Say how many of those that are `counted` hold."""
    among = [each for each, counts in zip(held, counted, strict=True) if counts]
    return f"{sum(among)} of {len(among)} ({sum(among) / len(among):.0%})" if among else "none tried"


def _middle(values: Sequence[float]) -> str:
    return f"{median(values):.3g} ({min(values):.3g} to {max(values):.3g})"


def _print_details(ours: Sequence[Judgement], theirs: Sequence[Outcome]) -> None:
    """Say which checks of schemathesis decided, whom it accused wrongly, and what the suite did not get right."""
    by_kind = {
        kind: Counter(found for each in theirs if (each.job.kind is Kind.FAULT) is kind for found in each.findings)
        for kind in (True, False)
    }
    print("  What schemathesis found, by its checks (faults, conforming services):")
    for check in sorted(by_kind[True] | by_kind[False]):
        print(f"    {check}: {by_kind[True][check]}, {by_kind[False][check]}")
    for mine, other in zip(ours, theirs, strict=True):
        if other.findings and other.job.kind is not Kind.FAULT:
            print(f"  {other.job.name}, which conforms: schemathesis accuses it by {', '.join(other.findings)}")
        if mine.mark not in GOOD:
            beaten = " (schemathesis reports it)" if other.job.kind is Kind.FAULT and other.findings else ""
            print(f"  {mine.trial.job.name}: {mine.mark}{beaten}. {mine.why}")


def _counted(total: int, who: str) -> Callable[[object], None]:
    done = 0

    def tell(_: object) -> None:
        nonlocal done
        done += 1
        if sys.stderr.isatty():
            print(f"\r{who}: {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return tell


# ---------------------------------------------------------------------- schemathesis alone


@dataclass(frozen=True)
class Outcome:
    """The result of schemathesis: the names of the checks that failed, and its errors."""

    job: Job
    findings: tuple[str, ...]
    requests: int
    seconds: float


class _Counting:
    """Counts the calls of a service; what it raises after its answer has begun is dropped, as on a server."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.calls = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def watched(message: Any) -> None:
            nonlocal begun
            begun = True
            await send(message)

        self.calls += scope["type"] == "http"
        try:
            await self._app(scope, receive, watched)
        except Exception:
            if not begun:
                raise


def fuzz(job: Job, *, document: dict[str, Any], excluded: Sequence[str]) -> Outcome:
    """Run the engine of schemathesis, as its command has it by default, against the service of `job`."""
    config = job.variant.configured(ReferenceConfig(users=USERS, seed=job.seed + 1))
    service = _Counting(job.variant.app(config))
    settings = {
        "seed": job.seed,
        "base-url": f"http://service.test{quote(config.path_prefix)}",
        "headers": {"Authorization": f"Bearer {config.tokens[0]}"},
        "request-timeout": TIMEOUT,
        "generation": {"database": "none"},
        "checks": {name: {"enabled": False} for name in excluded},
        # Otherwise it reads its probe values out of the source of the service, which is not visible from outside.
        "analysis": {"constants": {"enabled": False}},
    }
    schema = schemathesis.openapi.from_dict(document, config=SchemathesisConfig.from_dict(settings))
    schema.app = service
    began = time.perf_counter()
    findings = dict.fromkeys(found for event in from_schema(schema).execute() for found in _findings(event))
    return Outcome(job, tuple(findings), service.calls, time.perf_counter() - began)


def _findings(event: events.EngineEvent) -> Iterator[str]:
    """Yield what in `event` would end the command of schemathesis with exit code 1."""
    match event:
        case events.ScenarioFinished():
            for checks in event.recorder.checks.values():
                yield from (check.name for check in checks if check.failure_info is not None)
        case events.NonFatalError():
            yield f"error: {event.info.title}"
        case events.FatalError():
            yield f"error: {event.exception}"
        case events.EngineFinished():
            yield from (failure.title for failure in event.failures)


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--sample", type=positive, default=60, metavar="N", help="try N faults and half as many twins (default: 60)"
    )
    which.add_argument("--all", action="store_true", help="try every fault and twin")
    which.add_argument(
        "--only", action="append", metavar="NAME", help="try this fault, twin or requirement's faults; may be repeated"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of both, and of the services (default: 0)")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count(), help="services at a time (default: the cores)")
    parser.add_argument("--document", type=_json, metavar="FILE", help="another OpenAPI document for schemathesis")
    options = parser.parse_args()
    try:
        options.jobs_to_try = (
            everything()
            if options.all
            else only(options.only)
            if options.only
            else [REFERENCE_JOB, *services(options.sample)]
        )
    except NoSuchVariant as error:
        parser.error(str(error))
    return options


def _json(name: str) -> dict[str, Any]:
    try:
        document = json.loads(Path(name).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{name} is no JSON document that can be read: {error}") from None
    if not isinstance(document, dict):
        raise argparse.ArgumentTypeError(f"{name} holds no JSON object")
    return document


if __name__ == "__main__":
    main()
