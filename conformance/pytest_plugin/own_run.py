"""A run for the user's own tests: made once, of a service or of an application that is served for its time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import click
import pytest

from conformance.application.loading import Unusable
from conformance.cli.waive import load as load_waivers
from conformance.http import alarms
from conformance.model.errors import ConfigurationFault
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.verdict import Exit, Verdict
from conformance.pytest_plugin import failure_text
from conformance.pytest_plugin.interrupts import ending_calls
from conformance.pytest_plugin.options import prepared, refuse_workers
from conformance.pytest_plugin.requirement_warning import RequirementWarning
from conformance.pytest_plugin.settings import context_of, settings_of
from conformance.reports import again, failures, outcome, summary
from conformance.reports.exit_code import exit_code
from conformance.run.check import CannotBegin, check
from conformance.run.documents import Documents
from conformance.run.explanations import explained
from conformance.run.progress import ProgressListener

THE_RUN: Final = "the-run"
"""The last test of the requirements: what concerns the run as a whole."""

_RUNS: Final = pytest.StashKey[dict[object, "OwnRun | str | BaseException"]]()
"""The runs of the session, by what they check; a text says why one could not begin, an exception what ended it."""


def refuse_wrong_settings(config: pytest.Config) -> None:
    """Raise pytest.UsageError for settings that no run can begin with, before a test asks for the run."""
    given = settings_of(config)
    try:
        context_of(given)
        if given.drsi_waivers is not None:
            load_waivers(given.drsi_waivers)
    except click.ClickException as error:
        raise pytest.UsageError(error.format_message()) from None


def run_for(session: pytest.Session, app: Any, base_url: str | None, *, only: tuple[str, ...]) -> OwnRun:
    """Return the run of a service or an application; make it first if necessary. By default the settings name it.

    Fails the test if the run cannot begin.
    """
    given = settings_of(session.config)
    if base_url is None and app is None:
        base_url, app = given.drsi_base_url, given.drsi_app
    runs = session.config.stash.setdefault(_RUNS, {})
    what = base_url or (app if isinstance(app, str) else id(app))
    if what not in runs:
        try:
            runs[what] = _made(session.config, app, base_url, only)
        except (click.ClickException, pytest.UsageError, CannotBegin, ConfigurationFault, Unusable) as error:
            runs[what] = _reason(error)
        except pytest.fail.Exception as error:  # a time limit of the first test
            runs[what] = error
            raise
    run = runs[what]
    if isinstance(run, BaseException):
        pytest.skip(f"The run ended early, in the first test that needs it: {run}")
    if isinstance(run, str):
        pytest.fail(run, pytrace=False)
    return run


def _reason(error: Exception) -> str:
    if isinstance(error, CannotBegin):
        problem = explained(error.obstacle, error.session)
        return f"The checks cannot begin: {problem.message} {problem.remedy}"
    message = error.format_message() if isinstance(error, click.ClickException) else str(error)
    return f"The checks cannot begin: {message} {getattr(error, 'remedy', '')}".rstrip()


def _made(config: pytest.Config, app: Any, base_url: str | None, only: tuple[str, ...]) -> OwnRun:
    given = settings_of(config)
    if base_url is not None:
        refuse_workers(config)
    folder = given.drsi_output
    if folder is not None and (worker := getattr(config, "workerinput", None)):
        folder /= worker["workerid"]  # another worker makes a run of its own
    with ExitStack() as stack:
        session, plan, output = prepared(given, config, stack, base_url=base_url, app=app, directory=folder, only=only)
        # The checks run in a pytest of their own, which must not take a time limit of this one for their result.
        with alarms.postponed(session.stop), ending_calls(session, str):
            documents = Documents(check(session, plan, ProgressListener()))
            if output is not None:
                output.write(documents, session.secrets.sought)
    if documents.run.interrupted:
        raise KeyboardInterrupt
    return OwnRun(documents)


@dataclass(frozen=True)
class OwnRun:
    """A run that is over."""

    documents: Documents

    @cached_property
    def report(self) -> Report:
        """The report, without secrets."""
        return self.documents.shown

    @property
    def text(self) -> str:
        """The report for people: outcome and failures."""
        found = [_text(row, self) for row, _ in failures.not_waived(failures.failures(self.report))]
        return "\n\n".join([outcome.outcome_sentence(self.report), *found])

    @cached_property
    def rows(self) -> dict[str, RequirementResult]:
        """The results by id."""
        return {row.id: row for row in self.report.requirements}


@dataclass(frozen=True)
class Judged:
    """One requirement, or `THE_RUN`, with the run that decided it."""

    id: str
    run: OwnRun

    @property
    def result(self) -> RequirementResult:
        """The result of the requirement."""
        return self.run.rows[self.id]

    def judge(self) -> None:
        """Give the test the outcome that pytest has for the verdict."""
        if self.id == THE_RUN:
            self._judge_the_run()
            return
        row = self.result
        if unscored := summary.unscored_findings(row):
            pytest.skip(f"{row.id} is unscored ({row.verdict}): {unscored[0].message}")
        for alert in (each for each in row.findings if each.alert):
            warnings.warn(RequirementWarning(f"{row.id}: {alert.message}"), stacklevel=2)
        match row.verdict:
            case Verdict.FAIL if row.waived:
                pytest.xfail(", ".join(_waivers(row, self.run.report)))
            case Verdict.FAIL:
                pytest.fail(_text(row, self.run), pytrace=False)
            case Verdict.WARN:
                warnings.warn(RequirementWarning(_text(row, self.run)), stacklevel=2)
            case Verdict.INCONCLUSIVE | Verdict.NOT_APPLICABLE | Verdict.NOT_TESTED:
                why = row.findings[0].message if row.findings else row.reason
                pytest.skip(f"{row.id} is {row.verdict}: {why}")

    def _judge_the_run(self) -> None:
        """Fail if the run shows less than it seems to; a violation is the matter of its own test."""
        report = self.run.report
        if exit_code(report) in (Exit.CONFORMS, Exit.DOES_NOT_CONFORM) and report.complete:
            return
        notes = [f"{note.message} {note.remedy}".rstrip() for note in report.notes]
        pytest.fail("\n".join([outcome.outcome_sentence(report), *notes]), pytrace=False)


def _waivers(row: RequirementResult, report: Report) -> Iterator[str]:
    for waiver in report.waivers:
        if waiver.requirement == row.id:
            yield f"{waiver.reason} ({waiver.owner}, until {waiver.expires})"


def _text(row: RequirementResult, run: OwnRun) -> str:
    """Return a finding for people, as a check of its own shows it."""
    done, said = run.documents.run, row.findings[0]
    by_id = {each.id: each for each in done.exchanges}
    shown = tuple(by_id[each] for each in said.exchanges if each in by_id)
    finding: Finding[Exchange] = replace(said, exchanges=shown, steps=())  # type: ignore[arg-type, assignment]
    start = again.to_start(run.report.run.options, run.report.target.base_url)
    return done.redactor.text(failure_text.text(catalogue()[row.id], finding, start))
