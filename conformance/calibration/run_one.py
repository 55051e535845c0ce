"""One trial: the whole suite against one service, in this process."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.calibration.combinations import find_variant
from conformance.calibration.variant import REFERENCE, Given, Variant, raised
from conformance.http.session import Session
from conformance.model.errors import ConfigurationFault
from conformance.model.findings import Finding
from conformance.model.target import Target, Token
from conformance.model.text import shorten
from conformance.model.verdict import Outcome, Verdict
from conformance.reference.app import OnError
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service
from conformance.run.check import CannotBegin, check
from conformance.run.conclusion import FinishedRun
from conformance.run.documents import Documents
from conformance.run.explanations import explained
from conformance.run.in_process import ByTheService, by_calls, session_over
from conformance.run.plan import Plan
from conformance.run.progress import ProgressListener
from conformance.run.verify import verify
from conformance.trace.trace import Trace

ORIGIN = "http://localhost"

BAD = (Verdict.FAIL, Verdict.WARN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A planned trial; the seed is that of the run, and determines the service's identifiers and tokens."""

    name: str
    seed: int = 0
    select: str = ""
    """The only requirement that the run decides; empty for a whole run."""
    without: str = ""
    """The library that generates nothing in this run; empty for the whole suite."""
    verify: bool = False
    """Whether the verdicts of the run are computed again from its evidence."""

    @property
    def variant(self) -> Variant:
        """The service of the job."""
        return find_variant(self.name)


REFERENCE_JOB = Job(name=REFERENCE.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The result of one trial; `seconds` of wall clock."""

    job: Job
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    """By requirement; empty if the suite reached none."""
    outcome: Outcome | None = None
    """The outcome of the run; None if there are no verdicts."""
    alerts: tuple[str, ...] = ()
    """The requirements with an alert."""
    findings: Mapping[str, tuple[Finding[str], ...]] = field(default_factory=dict)
    """By requirement, without observations, and without the exchanges that show them."""
    blocked_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By requirement that could not be tested: the failed ones that prevented it."""
    follows_from: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By failed requirement: the other failed ones from which its failure probably follows."""
    checks: Mapping[str, str] = field(default_factory=dict)
    """The requirement of each check that ran."""
    objected: tuple[str, ...] = ()
    """The checks that found their requirement violated, even if another check had reported the same before."""
    exchanges: int = 0
    seconds: float = 0.0
    broken: str = ""
    """The reason if there are no verdicts."""
    defective: bool = False
    """Whether there are none because the code of the service raised an exception."""
    differences: tuple[str, ...] = ()
    """In words, what the evidence of the run does not give again."""


def attempt(job: Job, *, keep: Callable[[Trace], object] = lambda _: None) -> Trial:
    """Run the suite against the service of `job`. Never raises because of the result.

    `keep` receives what it recorded.
    """
    errors: list[str] = []
    began = time.perf_counter()
    try:
        session = session_of(job.variant, job, lambda error: errors.append(raised(error)))
    except Exception as error:
        return _defective(job, raised(error), began)
    session.without = job.without
    run, broken = None, ""
    try:
        run = check(session, plan_of(job), ProgressListener())
        keep(run.trace)
    except CannotBegin as reason:
        broken = f"The run could not begin: {explained(reason.obstacle, session).message}"
    except ConfigurationFault as reason:
        broken = f"The run was refused: {reason}"
    finally:
        session.close()
    if errors:
        return _defective(job, errors[0], began)
    if run is None:
        return Trial(job=job, broken=broken, seconds=time.perf_counter() - began)
    if run.report.crashes:
        broken = f"The suite itself failed: {run.report.crashes[0].exception}"
        return Trial(job=job, broken=broken, seconds=time.perf_counter() - began)
    differences = tuple(_differences(run)) if job.verify else ()
    seconds = time.perf_counter() - began
    return trial_of(job, run, len(session.record), seconds, differences)


def run_of(variant: Variant, job: Job, plan: Plan) -> FinishedRun:
    """Return a run of the suite against a fresh service of `variant`, with the options of `job`."""
    with closing(session_of(variant, job)) as session:
        return check(session, plan, ProgressListener())


def plan_of(job: Job) -> Plan:
    """Return the options of the run of `job`."""
    return Plan(select=(job.select,) if job.select else ())


def session_of(variant: Variant, job: Job, on_error: OnError = lambda _: None) -> Session:
    """Return a session over a fresh service of `variant`, with the options of `job`; close it in the end.

    `on_error` is as for `build_app`. Raise what the code of the variant raises.
    """
    usual = by_calls(
        ReferenceConfig(
            users=users_of(job.seed),
            expired_token=f"alice-Xp4mWc8eZr2TyH6s{job.seed:06d}",
            foreign_token=f"alice-Fo9kJb5vNq3UdL7a{job.seed:06d}",
            seed=job.seed + 1,
        ),
        job.seed,
    )
    config = variant.configured(usual)
    app = variant.app(usual, on_error)
    tokens = [Token(token) for token in config.tokens[:2]] + [None, None]
    target = Target(
        base_url=f"{ORIGIN}{config.path_prefix}",
        user=tokens[0],
        other=tokens[1],
        # One configuration for all, the command of README, but for an account that is in use.
        account_is_empty=not variant.is_in_use,
    )
    target = replace(target, **variant.run, **_given(variant, config, app.state.service))
    # Parallel calls one after another make a trial repeatable.
    return session_over(app, target, seed=job.seed, in_turn=True)


def _given(variant: Variant, config: ReferenceConfig, service: Service) -> Mapping[str, Any]:
    """Return what the run of a variant has beside the recommended options, by the names of `Target`."""
    if Given.RESET_COMMAND in variant.given:
        service.reset()
    given: dict[Given, tuple[str, Any]] = {
        Given.COMPLETE_COMMAND: ("completion", ByTheService(service)),
        Given.RESET_COMMAND: ("account_was_reset", True),
        Given.EXPIRED_TOKEN: ("expired", Token(config.expired_token)),
        Given.FOREIGN_TOKEN: ("foreign", Token(config.foreign_token)),
    }
    return dict(given[each] for each in variant.given)


def _differences(run: FinishedRun) -> Iterator[str]:
    """Yield what the evidence of a run, as it is written, does not give again."""
    documents = Documents(run)
    found = verify(*(json.loads(json.dumps(each)) for each in (documents.data, documents.evidence)))
    yield from found.damage
    for each in found.differences:
        where = f"{each.requirement}: " if each.requirement else ""
        yield f"{where}{each.what} was {shorten(each.recorded, 500)}, and is {shorten(each.recomputed, 500)}"


def _defective(job: Job, error: str, began: float) -> Trial:
    broken = (
        f"The code of this service raised {error}. This says nothing about the checks. "
        "Correct the code; a service that answers 500 on purpose returns a Reply."
    )
    return Trial(job=job, broken=broken, defective=True, seconds=time.perf_counter() - began)


def trial_of(job: Job, run: FinishedRun, exchanges: int, seconds: float, differences: tuple[str, ...] = ()) -> Trial:
    """Return what a run says of the service of `job`."""
    rows = run.report.requirements
    return Trial(
        job=job,
        verdicts={row.id: row.verdict for row in rows},
        outcome=run.report.outcome,
        alerts=run.report.alerts,
        findings={
            # Which of several simultaneous calls shows a violation is a matter of chance.
            row.id: tuple(
                replace(each, exchanges=(), steps=(), curl="")
                for each in row.findings
                if each.verdict is not Verdict.OBSERVED
            )
            for row in rows
        },
        blocked_by={row.id: row.blocked_by for row in rows if row.blocked_by},
        follows_from={row.id: row.follows_from for row in rows if row.follows_from},
        checks={each.check: each.requirement.id for each in run.results},
        objected=tuple(each.check for each in run.results if each.verdict in BAD),
        exchanges=exchanges,
        seconds=seconds,
        differences=differences,
    )


def users_of(seed: int) -> tuple[User, ...]:
    """Return two users whose tokens are the same for the same seed."""
    return (
        User("alice.example", f"alice-Qm7xT2vKp9RzW4nL{seed:06d}"),
        User("bob.example", f"bob-Yh3cF8jSd5GtB6uE{seed:06d}"),
    )
