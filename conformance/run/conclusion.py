"""The conclusion of a run whose calls are over: verdicts and outcome, in one report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from conformance.http.secrets.redaction import Redactor
from conformance.http.session import Session
from conformance.judge import verdicts
from conformance.model.exchange import Exchange
from conformance.model.findings import CheckResult, Crashes
from conformance.model.requirements import all_testable
from conformance.model.results import RequirementResult, Summary, Waiver, alerts_of, summarise
from conformance.model.run_record import CheckedTarget, Conditions, RunRecord, RunReport, Scope
from conformance.model.verdict import Verdict
from conformance.run.check_runner import CheckRunner
from conformance.run.plan import Plan
from conformance.run.preflight import Look
from conformance.trace.trace import Trace


@dataclass(frozen=True, kw_only=True)
class Frame:
    """What the report of a run states beside what follows from its trace."""

    started: datetime
    finished: datetime
    seed: int
    run: RunRecord
    peers: CheckedTarget = field(default_factory=CheckedTarget)
    session: Session | None = None
    """The session of the run, which knows more than its trace; None in another process than the one that made it."""
    seen: Look = field(default_factory=Look)
    """What the look at the target before the run saw."""

    @classmethod
    def of(cls, session: Session, plan: Plan, *, started: datetime, seen: Look) -> Frame:
        """Return the frame of a run whose calls are over."""
        return cls(
            started=started,
            finished=session.clock.now(),
            seed=session.seed,
            run=RunRecord(
                options=dict(plan.options),
                labels=dict(plan.labels),
                nonce=session.nonce,
                help_base=plan.help_base,
                pseudonym_key=session.pseudonym_key,
            ),
            peers=session.peers,
            session=session,
            seen=seen,
        )


@dataclass
class FinishedRun:
    """The result of a run: the report, the trace, and what removes secrets from texts."""

    report: RunReport
    plan: Plan
    frame: Frame
    trace: Trace
    redactor: Redactor
    crashes: Crashes = field(default_factory=Crashes)
    interrupted: bool = False
    results: Sequence[CheckResult] = ()
    """What each check found, or did not find."""

    @property
    def exchanges(self) -> list[Exchange]:
        """The exchanges, in the order of the calls."""
        return self.trace.in_order()


def concluded(checks: CheckRunner, plan: Plan, frame: Frame, redactor: Redactor) -> FinishedRun:
    """Return the result of a run that is over: of all requirements, those that the plan selects have a verdict."""
    trace, crashes, selected = checks.trace, checks.crashes, plan.selected()
    exchanges, conditions = trace.in_order(), trace.conditions
    results = verdicts.results(
        checks.results,
        checks.decisions,
        selected=selected,
        left_out=checks.left_out,
        crashes=crashes,
        scored=plan.set.ids,
    )
    if conditions.is_recorded_traffic:
        from conformance.judge.observed import if_observed  # no part of a run

        results = tuple(map(if_observed, results))
    complete = not (checks.interrupted or conditions.time_is_up)
    waived: tuple[Waiver, ...] = ()
    if plan.waivers:
        from conformance.judge import waivers  # most runs have none

        results, waived = waivers.applied(
            results,
            plan.waivers,
            today=frame.started.date(),
            strict=plan.strict,
            fail_on=plan.fail_on,
            whole=complete and plan.runs_all_checks,
        )
    scope = _scope(trace, plan, results, checks)
    left = conditions.left_behind or _untold(results, trace)
    outcome = verdicts.outcome_of(
        results,
        scope,
        complete=complete and not crashes and not conditions.is_recorded_traffic,
        left_behind=left,
        strict=plan.strict,
        fail_on=plan.fail_on,
    )
    report = RunReport(
        complete=complete,
        outcome=outcome,
        strict=plan.strict,
        target=replace(frame.peers, base_url=trace.target.base_url),
        confirmations=trace.target.confirmations,
        run=frame.run,
        started=_utc(frame.started),
        finished=_utc(frame.finished),
        seed=frame.seed,
        scope=scope,
        summary=_summary(conditions, results, exchanges),
        requirements=results,
        crashes=crashes.told(),
        alerts=alerts_of(results),
        fail_on=plan.fail_on,
        waivers=waived,
    )
    return FinishedRun(report, plan, frame, trace, redactor, crashes, checks.interrupted, checks.results)


def _untold(results: tuple[RequirementResult, ...], trace: Trace) -> int:
    """Return how many requests still exist by inference from clause 3, and no failure on deletions shows it.

    A selection may leave out the requirements that such a deletion violates.
    """
    if any(row.verdict is Verdict.FAIL and row.clause in ("3", "4.3") for row in results):
        return 0
    return sum(life.lost is not None for life in trace.facts.ledger.lives.values())


def _scope(trace: Trace, plan: Plan, results: tuple[RequirementResult, ...], checks: CheckRunner) -> Scope:
    left_out = (all_testable() - plan.selected()) | checks.left_out
    return Scope(
        profile=plan.profile,
        set=plan.set.name,
        select=plan.select,
        deselect=plan.deselect,
        only=plan.only,
        left_out=tuple(row.id for row in results if row.scored and row.id in left_out),
        undeclared=verdicts.undeclared(results) if trace.conditions.selector_is_unknown else (),
    )


def _summary(conditions: Conditions, results: tuple[RequirementResult, ...], exchanges: Sequence[Exchange]) -> Summary:
    return summarise(
        results,
        exchanges=sum(each.was_sent for each in exchanges),
        created=conditions.created,
        deleted=conditions.deleted,
        not_found=conditions.not_found,
        left_behind=conditions.left_behind,
    )


def _utc(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
