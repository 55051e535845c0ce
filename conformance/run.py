"""One run: preflight, the checks under pytest, clean-up, and the report. Data first, views after."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import httpx
import pytest

from conformance import NAME, __version__, notes
from conformance.calibration.published import calibration
from conformance.caller import USER
from conformance.judging import assemble
from conformance.plugin import Plugin, Progress
from conformance.preflight import doctor
from conformance.preflight.diagnosis import Diagnosis, Problem
from conformance.quiet_pytest import options
from conformance.randomness import told
from conformance.randomness.sample import enough
from conformance.reports import har, result
from conformance.reports.result import Report, RequirementResult, Scope, Suite, summarise
from conformance.requirements import catalogue
from conformance.target import ConfigurationFault, Target
from conformance.traffic import aftermath
from conformance.traffic.exchange import Exchange
from conformance.traffic.session import Session
from conformance.verdict import Level, Outcome, Verdict
from conformance.wire.redact import Redactor


class CannotBegin(Exception):
    """The preflight found something that a run cannot begin with; nothing was decided."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class SuiteBroke(Exception):
    """The suite itself failed; there are no verdicts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is asked of a run."""

    profile: str = "full"
    select: tuple[str, ...] = ()
    deselect: tuple[str, ...] = ()
    strict: bool = False
    html_log: Path | None = None
    target_kind: str = "service"
    """"embedded" where the target is the suite's own reference service."""

    @property
    def public(self) -> bool:
        """Whether nothing may be created and no token used."""
        return self.profile == "public"

    def selected(self) -> frozenset[str]:
        """Return the ids to decide; raise UnknownRequirement for a wrong one, ConfigurationFault for none at all."""
        every = catalogue()
        chosen = frozenset(row.id for row in every.rows.values() if not row.untestable)
        if self.select:
            chosen &= frozenset[str]().union(*(every.select(wanted) for wanted in self.select))
        for unwanted in self.deselect:
            chosen -= every.select(unwanted)
        if not chosen:
            raise ConfigurationFault(
                "The selection leaves nothing to check. Widen --select or --deselect; "
                "'drsi-conformance requirements' lists what can be tested."
            )
        return chosen


@dataclass
class Run:
    """What a run gives: the report, and the evidence; both free of secrets."""

    report: Report
    exchanges: list[Exchange]
    redactor: Redactor
    diagnosis: Diagnosis = field(default_factory=Diagnosis)

    @cached_property
    def data(self) -> dict[str, Any]:
        """The report as report.json holds it."""
        data: dict[str, Any] = self.redactor.data(self.report.as_data(), own=result.OWN_WORDS)
        return data

    @cached_property
    def evidence(self) -> dict[str, Any]:
        """The exchanges as evidence.har holds them."""
        return evidence_of(self.exchanges, self.redactor)


def check(
    session: Session,
    plan: Plan,
    progress: Progress,
    *,
    plugins: Sequence[object] = (),
    before_clean_up: Callable[[], None] = lambda: None,
) -> Run:
    """Run the checks of `plan` against the session's target; `plugins` are further ones for pytest.

    A KeyboardInterrupt ends the run early: the report then says that it is not complete. None may come any more once
    `before_clean_up` was called.
    Raises CannotBegin before anything is decided, SuiteBroke when the suite itself failed.
    """
    started = session.clock.now()
    selected = plan.selected()
    if plan.public:
        session.credentials.clear()
    plugin = Plugin(session, selected, public=plan.public, progress=progress)
    try:
        diagnosis = doctor.examine(session, needs_token=not plan.public, may_create=not plan.public)
        if diagnosis.fatal is not None:
            raise CannotBegin(diagnosis.fatal)
        _run_checks(plugin, plan, plugins)
        plugin.offer.make_sure()
    except KeyboardInterrupt:
        plugin.interrupted = True
        diagnosis = Diagnosis()
    finally:
        before_clean_up()
        if plugin.interrupted:
            session.settle()
        session.begin("clean-up")
        session.clean_up(insist=True)
        if not plugin.interrupted:
            aftermath.make_sure(session)
    if plugin.crashes:
        raise SuiteBroke(plugin.crashes[0])
    return _finish(session, plan, plugin, selected, diagnosis, started)


def _run_checks(plugin: Plugin, plan: Plan, plugins: Sequence[object]) -> None:
    with as_file(files("conformance") / "checks") as checks, _quiet_environment():
        extra: list[str] = []
        if plan.html_log is not None:
            extra += ["-p", "pytest_metadata.plugin", "-p", "pytest_html.plugin"]
            extra += [f"--html={plan.html_log}", "--self-contained-html"]
        code = pytest.main(options(str(checks), str(checks / "pytest.ini"), extra), plugins=[plugin, *plugins])
    if code == pytest.ExitCode.NO_TESTS_COLLECTED and not plugin.crashes:
        raise ConfigurationFault(
            "The selection leaves no check to run in this profile. Widen --select, or use --profile full."
        )
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
        plugin.crashes.append(f"pytest ended with {code!r}")


@contextlib.contextmanager
def _quiet_environment() -> Iterator[None]:
    """Hide PYTEST_ADDOPTS and PYTEST_PLUGINS of the caller, which would change the run."""
    hidden = {name: os.environ.pop(name) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS") if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)


def _finish(
    session: Session,
    plan: Plan,
    plugin: Plugin,
    selected: frozenset[str],
    diagnosis: Diagnosis,
    started: datetime,
) -> Run:
    exchanges = session.record.as_it_stands()
    results = assemble.results(plugin.results, exchanges, selected=selected, left_out=plugin.left_out)
    complete = not plugin.interrupted
    journal = session.journal
    testable = frozenset(row.id for row in catalogue().rows.values() if not row.untestable)
    scope = Scope(
        profile=plan.profile,
        select=plan.select,
        deselect=plan.deselect,
        left_out=tuple(row.id for row in results if row.id in (testable - selected) | plugin.left_out),
    )
    summary = summarise(
        results,
        exchanges=sum(each.was_sent for each in exchanges),
        created=journal.created,
        deleted=journal.deleted,
        left_behind=journal.left_behind,
    )
    outcome = outcome_of(results, scope, complete=complete, left_behind=journal.left_behind, strict=plan.strict)
    said = [*notes.of_the_target(session, diagnosis.problems, embedded=plan.target_kind == "embedded")]
    said += notes.of_the_end(session, interrupted=plugin.interrupted)
    if outcome is Outcome.INCONCLUSIVE and complete:
        said += notes.of_a_selection(row for row in results if row.id in selected - plugin.left_out)
    report = Report(
        complete=complete,
        outcome=outcome,
        strict=plan.strict,
        suite=Suite(name=NAME, version=__version__, catalogue=catalogue().digest, calibration=calibration()),
        target={"base_url": session.target.base_url},
        started=_utc(started),
        finished=_utc(session.clock.now()),
        seed=session.seed,
        scope=scope,
        summary=summary,
        notes=tuple(said),
        requirements=results,
        identifiers=told.identifiers(exchanges, USER.label, wanted=enough(session.target.budget)),
    )
    named = _named(results)
    # What was never sent is no evidence, except of why something could not be decided.
    shown = [each for each in exchanges if each.was_sent or each.id in named]
    return Run(report=report, exchanges=shown, redactor=Redactor(session.secrets()), diagnosis=diagnosis)


def _named(results: tuple[RequirementResult, ...]) -> frozenset[str]:
    """Return the ids of the exchanges that findings name."""
    findings = [finding for row in results for finding in row.findings]
    steps = (step.exchange for finding in findings for step in finding.steps)
    return frozenset([*steps, *(one for finding in findings for one in finding.exchanges)])


def evidence_of(exchanges: Iterable[Exchange], redactor: Redactor) -> dict[str, Any]:
    """Return the HAR document of exchanges, free of secrets."""
    evidence = har.har([_without_secrets(each, redactor) for each in exchanges], suite_version=__version__)
    evidence["log"]["entries"] = redactor.data(evidence["log"]["entries"], own=har.OWN_WORDS)
    return evidence


def _without_secrets(exchange: Exchange, redactor: Redactor) -> Exchange:
    """Return the exchange with its bodies redacted as bytes, which base64 in the evidence would put out of reach."""
    question = replace(exchange.question, body=redactor.raw(exchange.question.body))
    answer = exchange.answer and replace(exchange.answer, body=redactor.raw(exchange.answer.body))
    return replace(exchange, question=question, answer=answer)


def outcome_of(
    results: tuple[RequirementResult, ...], scope: Scope, *, complete: bool, left_behind: int, strict: bool
) -> Outcome:
    """Return what the verdicts say of the target as a whole (DESIGN: words)."""
    verdicts = {row.verdict for row in results}
    if Verdict.FAIL in verdicts or (strict and Verdict.WARN in verdicts):
        return Outcome.DOES_NOT_CONFORM
    musts = [row for row in results if row.level is Level.MUST]
    undecided = any(row.verdict is Verdict.INCONCLUSIVE for row in musts)
    nothing_kept = not any(row.verdict is Verdict.PASS for row in musts)
    if undecided or nothing_kept or left_behind or not complete:
        return Outcome.INCONCLUSIVE
    return Outcome.CONFORMS_IN_PART if scope.left_out else Outcome.CONFORMS


def _utc(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def output_directory(target: Target, now: datetime) -> Path:
    """Return where a run is written by default: reports/<host>-<UTC time>."""
    url = httpx.URL(target.base_url)
    port = f"-{url.port}" if url.port else ""
    host = "".join(character if character.isalnum() or character in ".-" else "-" for character in url.host)
    return Path("reports") / f"{host}{port}-{now:%Y%m%dT%H%M%SZ}"
