"""One run: preflight, the checks under pytest, clean-up, and the report. Data first, views after."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest

from conformance import NAME, __version__
from conformance.http.creations import cleanup
from conformance.http.record import CLEAN_UP
from conformance.http.secrets.redaction import Redactor
from conformance.http.session import Session
from conformance.identifiers import section
from conformance.identifiers.sample import enough
from conformance.model import sets
from conformance.model.bodies import Keep
from conformance.model.build import build
from conformance.model.conditions import Conditions
from conformance.model.errors import ConfigurationFault
from conformance.model.exchange import Exchange
from conformance.model.findings import Crashes, Note
from conformance.model.identity import USER
from conformance.model.report import Report, Suite
from conformance.model.requirements import all_testable, catalogue
from conformance.model.results import RequirementResult, Summary, Waiver, alerts_of, summarise
from conformance.model.run_record import CheckedTarget, RunRecord, Scope
from conformance.model.score import calibration
from conformance.model.upstream import PROFILE as UPSTREAM
from conformance.model.upstream import UpstreamResult
from conformance.model.verdict import Outcome, Verdict
from conformance.rules import verdicts, waivers
from conformance.rules.every_exchange import denied
from conformance.runner import account, doctor, notes, quiet_pytest
from conformance.runner.check_results import CheckResults
from conformance.runner.conditions import conditions_of
from conformance.runner.doctor import Diagnosis
from conformance.runner.environment import environment
from conformance.runner.instances import of_instances
from conformance.runner.plugin import Plugin, ProgressListener


class CannotBegin(Exception):
    """The preflight found something that a run cannot begin with; nothing was decided."""

    def __init__(self, problem: Note) -> None:
        super().__init__(problem.message)
        self.problem = problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The options of a run."""

    profile: str = "full"
    set: str = sets.WHOLE_CATALOGUE
    """Name of the set of requirements that are scored."""
    select: tuple[str, ...] = ()
    deselect: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    """The ids and clauses whose checks alone run; empty for all."""
    strict: bool = False
    fail_on: tuple[str, ...] = ()
    """The alerts that count as failures: ids, or ALL_ALERTS."""
    waivers: tuple[Waiver, ...] = ()
    notes: tuple[Note, ...] = ()
    """What was known before the run and the report has to say."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Every option that can change a verdict or the traffic, by its name on the command line."""
    labels: Mapping[str, str] = field(default_factory=dict)
    help_base: str = ""
    """The address of the documentation site to which views of the report link; empty for none."""
    explain: Callable[[Sequence[Exchange]], object] = lambda _: None
    """Adds to the exchanges of a run what the code of the service raised, where that is known."""
    target_kind: str = "service"
    """"embedded" where the target is the suite's own reference service."""

    @property
    def public(self) -> bool:
        """Whether nothing may be created and no token used."""
        return self.profile == "public"

    @property
    def runs_all_checks(self) -> bool:
        """Whether no check is left out."""
        return not (self.public or self.deselect or self.only)

    def selected(self) -> frozenset[str]:
        """Return the ids to decide; raise UnknownRequirement for a wrong one, ConfigurationFault for none at all."""
        chosen = all_testable() - self.deselected()
        if self.select:
            chosen &= frozenset[str]().union(*map(catalogue().select, self.select))
        if not chosen:
            raise ConfigurationFault(
                "The selection leaves nothing to check. Change --select, --only or --deselect; "
                "'drsi-conformance requirements' lists what can be tested."
            )
        return chosen

    def deselected(self) -> frozenset[str]:
        """Return the ids whose checks do not run, unlike those that are merely not selected."""
        left_out = frozenset[str]().union(*map(catalogue().select, self.deselect))
        if self.only:
            left_out |= all_testable().difference(*map(catalogue().select, self.only))
        return left_out


@dataclass
class Run:
    """The result of a run: the report and the exchanges, with what removes the secrets from both."""

    report: Report
    exchanges: list[Exchange]
    redactor: Redactor
    conditions: Conditions = field(default_factory=Conditions)
    crashes: Crashes = field(default_factory=Crashes)
    keep: Keep = bytes
    """Keeps the large bodies of the evidence."""


def check(
    session: Session,
    plan: Plan,
    progress: ProgressListener,
    *,
    plugins: Sequence[object] = (),
    before_clean_up: Callable[[], None] = lambda: None,
) -> Run:
    """Run the checks of `plan` against the session's target; `plugins` are further ones for pytest.

    A KeyboardInterrupt ends the run early, and so does `session.stop()`: the report then says that it is not complete.
    Neither has any effect once `before_clean_up` was called. A crash of the suite ends nothing but the check that it
    comes in. Raises CannotBegin, ConfigurationFault and UnknownRequirement before anything is decided.
    """
    started = session.clock.now()
    selected = plan.selected()
    if plan.public:
        session.credentials.clear()
    share = len(all_testable() - plan.deselected()) / len(all_testable())
    session.clock.expects(plan.profile, share=share, times=session.target.budget.times)
    session.clock.on_short = progress.note
    crashes, diagnosis = Crashes(selected), Diagnosis()
    observed: tuple[UpstreamResult, ...] = ()
    plugin = Plugin(
        session, selected, deselected=plan.deselected(), public=plan.public, progress=progress, crashes=crashes
    )
    try:
        with crashes.noted("the look at the target before the checks"):
            diagnosis = doctor.examine(session, needs_token=not plan.public, may_create=not plan.public)
        if diagnosis.fatal is not None:
            raise CannotBegin(diagnosis.fatal)
        _run_checks(plugin, plugins)
        with crashes.noted("the data types at the end of the run"):
            plugin.data_types.refresh(at_the_end=True)
        with crashes.noted("the observations of the upstream interface"):
            observed = _observed(session, plan)
    except KeyboardInterrupt:
        plugin.interrupted = True
    finally:
        before_clean_up()
        clean_up(session, plugin)
    return concluded(session, plan, plugin, selected, started=started, diagnosis=diagnosis, observed=observed)


def _observed(session: Session, plan: Plan) -> tuple[UpstreamResult, ...]:
    if plan.profile != UPSTREAM:
        return ()
    from conformance.runner import upstream  # no other run needs it

    return upstream.observe(session)


def clean_up(session: Session, checks: CheckResults) -> None:
    """End the calls of a run and delete what it created."""
    checks.interrupted |= session.clock.stopped
    session.finish(early=checks.interrupted or bool(checks.crashes))
    session.begin(CLEAN_UP)
    with checks.crashes.noted("the clean-up"):
        session.clean_up(insist=True)
        if not checks.interrupted:
            cleanup.verify_deletions(session)


def _run_checks(plugin: Plugin, plugins: Sequence[object]) -> None:
    code: int = pytest.ExitCode.INTERNAL_ERROR
    try:
        code = quiet_pytest.run([], [plugin, *plugins])
    except Exception as error:
        plugin.crashes.note(error, "the run of the checks", plugin.undecided)
    if code == pytest.ExitCode.NO_TESTS_COLLECTED and not plugin.crashes:
        raise ConfigurationFault(
            "The selection leaves no check to run in this profile. Widen --select, or use --profile full."
        )
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR) and not plugin.crashes:
        plugin.crashes.note_text(f"pytest ended with {code!r}", "the run of the checks", plugin.undecided)


def concluded(
    session: Session,
    plan: Plan,
    checks: CheckResults,
    selected: frozenset[str],
    *,
    started: datetime,
    diagnosis: Diagnosis | None = None,
    observed: tuple[UpstreamResult, ...] = (),
) -> Run:
    """Return the result of a run that is over: of all requirements, those `selected` have a verdict."""
    session.clock.judging()
    recorded, crashes = session.record.in_order(), checks.crashes
    exchanges = recorded
    if plan.profile == UPSTREAM:
        from conformance.runner import upstream

        exchanges, observed = upstream.of_the_specification(recorded), observed or upstream.untried()
    with crashes.noted("the exceptions of the application"):
        plan.explain(recorded)
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
    scope = _scope(session, plan, results, selected, checks)
    said: list[Note] = []
    identifiers = None
    with crashes.noted("the notes of the report"):
        said += _notes(session, plan, checks, waived, () if diagnosis is None else diagnosis.problems)
    with crashes.noted("the part of the report about identifiers"):
        identifiers = section.identifiers(exchanges, USER.label, wanted=enough(session.target.budget))
    whole = complete and not crashes
    left = session.journal.left_behind or _untold(session, results, exchanges)
    outcome = verdicts.outcome_of(
        results, scope, complete=whole, left_behind=left, strict=plan.strict, fail_on=plan.fail_on
    )
    if outcome is Outcome.INCONCLUSIVE and whole:
        said += notes.of_a_selection(row for row in results if row.id in selected - checks.left_out)
    report = Report(
        complete=complete,
        outcome=outcome,
        strict=plan.strict,
        suite=_suite(),
        target=CheckedTarget(
            base_url=session.target.base_url, addresses=tuple(session.peers.addresses), tls=session.peers.tls
        ),
        confirmations=session.target.confirmations,
        run=_run_record(session, plan),
        started=_utc(started),
        finished=_utc(session.clock.now()),
        seed=session.seed,
        scope=scope,
        summary=_summary(session, results, recorded),
        notes=tuple(said),
        requirements=results,
        identifiers=identifiers,
        crashes=crashes.told(),
        alerts=alerts_of(results),
        fail_on=plan.fail_on,
        waivers=waived,
        upstream=observed,
    )
    return Run(
        report=report,
        exchanges=recorded,
        redactor=session.secrets.redactor,
        conditions=conditions_of(session, interrupted=checks.interrupted),
        crashes=crashes,
        keep=session.bodies.keep,
    )


def _untold(session: Session, results: tuple[RequirementResult, ...], exchanges: Sequence[Exchange]) -> int:
    """Return how many requests still exist by inference from clause 3, and no failure on deletions shows it.

    A selection may leave out the requirements that such a deletion violates.
    """
    if any(row.verdict is Verdict.FAIL and row.clause in cleanup.OF_DELETIONS for row in results):
        return 0
    return len(denied(session.journal.lost, exchanges))


def _scope(
    session: Session, plan: Plan, results: tuple[RequirementResult, ...], selected: frozenset[str], checks: CheckResults
) -> Scope:
    return Scope(
        profile=plan.profile,
        set=plan.set,
        select=plan.select,
        deselect=plan.deselect,
        only=plan.only,
        left_out=tuple(
            row.id for row in results if row.scored and row.id in (all_testable() - selected) | checks.left_out
        ),
        undeclared=verdicts.undeclared(results) if session.results.selector_is_unknown else (),
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
    yield from of_instances(session.target, session.record.in_order())
    yield from account.of_the_account(session)
    yield from plan.notes
    yield from notes.of_schemathesis(session)
    yield from notes.of_the_end(session, interrupted=checks.interrupted)
    yield from notes.of_waivers(waived)


def _suite() -> Suite:
    return Suite(
        name=NAME,
        version=__version__,
        build=build(),
        catalogue=catalogue().digest,
        edition=catalogue().edition.digest,
        calibration=calibration(),
    )


def _run_record(session: Session, plan: Plan) -> RunRecord:
    return RunRecord(
        options=dict(plan.options),
        labels=dict(plan.labels),
        nonce=session.nonce,
        help_base=plan.help_base,
        pseudonym_key=session.pseudonym_key,
        environment=environment(),
    )


def _utc(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
