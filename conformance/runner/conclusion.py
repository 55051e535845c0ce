"""The conclusion of a run whose calls are over: verdicts, notes and outcome, in one report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from conformance import NAME, __version__
from conformance.facts.ledger import Ledger
from conformance.http.secrets.redaction import Redactor
from conformance.http.session import Session
from conformance.model import sets
from conformance.model.conditions import Conditions
from conformance.model.exchange import Exchange
from conformance.model.findings import Crashes, Note
from conformance.model.report import Report, Suite
from conformance.model.requirements import all_testable, catalogue
from conformance.model.results import RequirementResult, Summary, Waiver, alerts_of, summarise
from conformance.model.run_record import CheckedTarget, RunRecord, Scope
from conformance.model.verdict import Outcome, Verdict
from conformance.rules import verdicts, waivers
from conformance.runner import account, notes
from conformance.runner.check_results import CheckResults
from conformance.runner.options import Plan


@dataclass
class Run:
    """The result of a run: the report, what removes the secrets from it, and the exchanges, which are free of them."""

    report: Report
    exchanges: Sequence[Exchange]
    redactor: Redactor
    session: Session
    crashes: Crashes = field(default_factory=Crashes)
    interrupted: bool = False
    conditions: Conditions = field(default_factory=Conditions)
    """What evidence.har says of the run beside the exchanges."""


def concluded(
    session: Session,
    plan: Plan,
    checks: CheckResults,
    selected: frozenset[str],
    *,
    started: datetime,
    problems: Sequence[Note] = (),
) -> Run:
    """Return the result of a run that is over: of all requirements, those `selected` have a verdict."""
    session.clock.judging()
    exchanges, crashes = checks.trace.in_order(), checks.crashes
    results = verdicts.results(
        checks.results,
        exchanges,
        selected=selected,
        left_out=checks.left_out,
        crashes=crashes,
        scored=sets.scored(plan.set),
    )
    complete = not (checks.interrupted or session.clock.ran_out)
    results, waived = waivers.applied(
        results,
        plan.waivers,
        today=started.date(),
        strict=plan.strict,
        fail_on=plan.fail_on,
        whole=complete and plan.runs_all_checks,
    )
    scope = _scope(plan, results, selected, checks)
    said: list[Note] = []
    with crashes.noted("the notes of the report"):
        said += notes.of_server_errors(exchanges, results)
        said += _notes(session, plan, checks, waived, problems)
    whole = complete and not crashes
    left = session.journal.left_behind or _untold(results, exchanges)
    outcome = verdicts.outcome_of(
        results, scope, complete=whole, left_behind=left, strict=plan.strict, fail_on=plan.fail_on
    )
    if outcome is Outcome.INCONCLUSIVE and whole:
        said += notes.of_a_selection(row for row in results if row.id in selected - checks.left_out)
    report = Report(
        complete=complete,
        outcome=outcome,
        strict=plan.strict,
        suite=Suite(name=NAME, version=__version__, catalogue=catalogue().digest, edition=catalogue().edition.digest),
        target=CheckedTarget(
            base_url=session.target.base_url, addresses=tuple(session.peers.addresses), tls=session.peers.tls
        ),
        confirmations=session.target.confirmations,
        run=_run_record(session, plan),
        started=_utc(started),
        finished=_utc(session.clock.now()),
        seed=session.seed,
        scope=scope,
        summary=_summary(session, results, exchanges),
        notes=tuple(said),
        requirements=results,
        crashes=crashes.told(),
        alerts=alerts_of(results),
        fail_on=plan.fail_on,
        waivers=waived,
    )
    return Run(
        report, exchanges, session.secrets.redactor, session, crashes, checks.interrupted, checks.trace.conditions
    )


def _untold(results: tuple[RequirementResult, ...], exchanges: Sequence[Exchange]) -> int:
    """Return how many requests still exist by inference from clause 3, and no failure on deletions shows it.

    A selection may leave out the requirements that such a deletion violates.
    """
    if any(row.verdict is Verdict.FAIL and row.clause in ("3", "4.3") for row in results):
        return 0
    return sum(life.lost is not None for life in Ledger.of(exchanges).lives.values())


def _scope(plan: Plan, results: tuple[RequirementResult, ...], selected: frozenset[str], checks: CheckResults) -> Scope:
    return Scope(
        profile=plan.profile,
        set=plan.set,
        select=plan.select,
        deselect=plan.deselect,
        only=plan.only,
        left_out=tuple(
            row.id for row in results if row.scored and row.id in (all_testable() - selected) | checks.left_out
        ),
        undeclared=verdicts.undeclared(results) if checks.trace.conditions.selector_is_unknown else (),
    )


def _summary(session: Session, results: tuple[RequirementResult, ...], exchanges: Sequence[Exchange]) -> Summary:
    journal = session.journal
    return summarise(
        results,
        exchanges=sum(each.was_sent for each in exchanges),
        created=journal.created,
        deleted=journal.deleted,
        not_found=journal.not_found,
        left_behind=journal.left_behind,
    )


def _notes(
    session: Session, plan: Plan, checks: CheckResults, waived: Sequence[Waiver], problems: Sequence[Note]
) -> Iterator[Note]:
    yield from notes.of_the_target(session, problems, embedded=plan.target_kind == "embedded")
    yield from account.of_the_account(session)
    yield from plan.notes
    yield from notes.of_the_end(session, interrupted=checks.interrupted)
    yield from notes.of_waivers(waived)


def _run_record(session: Session, plan: Plan) -> RunRecord:
    return RunRecord(
        options=dict(plan.options),
        labels=dict(plan.labels),
        nonce=session.nonce,
        help_base=plan.help_base,
        pseudonym_key=session.pseudonym_key,
    )


def _utc(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
