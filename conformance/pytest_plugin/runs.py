"""The runs of a session of pytest, made once, and the outcome that pytest has for the verdict of a requirement."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import pytest

from conformance.model.curl import curl
from conformance.model.errors import describe, in_words
from conformance.model.exchange import Exchange
from conformance.model.report import Report
from conformance.model.requirements import all_testable
from conformance.model.results import RequirementResult
from conformance.model.verdict import Exit, Level, Verdict
from conformance.pytest_plugin.options import usage_errors
from conformance.pytest_plugin.requirement_warning import RequirementWarning
from conformance.pytest_plugin.settings import in_own_words
from conformance.reports import again, failures, outcome, sections, summary
from conformance.reports.exit_code import exit_code
from conformance.run.documents import Documents

THE_RUN: Final = "the-run"
"""The last test of the requirements: what concerns the run as a whole."""

_SHOWN: Final = 5
"""Exchanges of a finding that its text shows."""

_UNKNOWN: Final = (Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE, Verdict.NOT_TESTED)

_RUNS: Final = pytest.StashKey[dict[object, "OwnRun | str"]]()
"""The runs of the session, by what they check; a text says why there is none."""


def run_for(session: pytest.Session, what: object, make: Callable[[], Documents]) -> OwnRun:
    """Return the run of `what`; make it first if necessary.

    If it cannot begin, or a time limit of the test ends it, the first test that asks for it fails; others are skipped.
    """
    __tracebackhide__ = True
    runs = session.config.stash.setdefault(_RUNS, {})
    if what not in runs:
        try:
            with usage_errors():
                runs[what] = OwnRun(make())
        except pytest.UsageError as error:
            runs[what] = reason = f"The checks cannot begin: {error}"
            pytest.fail(reason, pytrace=False)
        except pytest.fail.Exception as error:  # a time limit of the first test
            runs[what] = f"The run ended early, in the first test that needs it: {error}"
            raise
    run = runs[what]
    if isinstance(run, str):
        pytest.skip(run)
    return run


def asked(ids: Iterable[str]) -> tuple[str, ...]:
    """Return the requirements whose tests were selected; empty for all."""
    chosen = all_testable().intersection(ids)
    return () if chosen == all_testable() else tuple(sorted(chosen))


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
        found = [RowOfRun(each, self).text for each in failures.failing(self.report)]
        return "\n\n".join([outcome.outcome_sentence(self.report), *found])

    @property
    def notes(self) -> list[str]:
        """What a reader must know about the run itself."""
        return [in_own_words(f"{note.message} {note.remedy}".rstrip()) for note in self.report.notes]

    @cached_property
    def rows(self) -> dict[str, RequirementResult]:
        """The results by id."""
        return {row.id: row for row in self.report.requirements}

    @property
    def shows_less(self) -> bool:
        """Whether the run shows less than it seems to; a violation is the matter of its own test."""
        report = self.report
        tested = [row for row in report.requirements if row.scored and row.verdict is not Verdict.NOT_TESTED]
        code = exit_code(report)
        if code is Exit.INCONCLUSIVE and not any(row.level is Level.MUST for row in tested):
            # No outcome says that a service meets recommendations.
            known = any(row.verdict not in _UNKNOWN for row in tested)
            return not (known and report.complete and not report.summary.left_behind)
        return code not in (Exit.CONFORMS, Exit.DOES_NOT_CONFORM) or not report.complete


@dataclass(frozen=True)
class RowOfRun:
    """One requirement, or `THE_RUN`, with the run that decided it."""

    id: str
    run: OwnRun
    item: pytest.Item | None = None
    """The test that has its outcome."""

    @property
    def result(self) -> RequirementResult:
        """The result of the requirement."""
        return self.run.rows[self.id]

    def judge(self) -> None:
        """Give the test the outcome that pytest has for the verdict."""
        __tracebackhide__ = True
        if self.id == THE_RUN:
            if self.run.shows_less:
                text = "\n".join([outcome.outcome_sentence(self.run.report), *self.run.notes])
                pytest.fail(text, pytrace=False)
            return
        row = self.result
        if self.item is not None:
            self.item.user_properties += [("verdict", row.verdict.value), *self._fields.items()]
        if unscored := summary.unscored_findings(row):
            pytest.skip(f"{row.id} is unscored ({row.verdict}): {unscored[0].message}")
        for alert in (each for each in row.findings if each.alert):
            warnings.warn(RequirementWarning(f"{row.id}: {alert.message}"), stacklevel=2)
        match row.verdict:
            case Verdict.FAIL if row.waived:
                waivers = failures.waivers_of(self.run.report, row)
                pytest.xfail(", ".join(f"{each.reason} ({each.owner}, until {each.expires})" for each in waivers))
            case Verdict.FAIL:
                pytest.fail(self.text, pytrace=False)
            case Verdict.WARN:
                warnings.warn(RequirementWarning(self.text), stacklevel=2)
            case Verdict.PASS | Verdict.OBSERVED if self.item is not None:
                basis = self._fields["basis"]
                self.item.add_report_section("call", "requirement", f"{row.id} ({row.level}): {row.verdict}\n{basis}\n")
            case Verdict.INCONCLUSIVE | Verdict.NOT_APPLICABLE | Verdict.NOT_TESTED:
                why = row.findings[0] if row.findings else None
                reason = " ".join(filter(None, (why.message, why.remedy))) if why else row.reason
                pytest.skip(f"{row.id} is {row.verdict}: {in_own_words(reason)}")

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """The exchanges that show the finding."""
        by_id = {each.id: each for each in self.run.documents.run.exchanges}
        return tuple(by_id[each] for finding in self.result.findings[:1] for each in finding.exchanges if each in by_id)

    @property
    def text(self) -> str:
        """The finding for people."""
        named = self._fields
        first = f"{named.pop('requirement')} ({named.pop('level')}): {named.pop('finding')}"
        more = len(self.exchanges) - _SHOWN
        lines = [first, *(f"  {name}: {value}" for name, value in named.items())]
        return "\n".join([*lines, *([f"  … and {more} more"] if more > 0 else [])])

    @property
    def _fields(self) -> dict[str, str]:
        """The parts of the result by their names; of the first finding, unless the requirement passed."""
        report, row, shown, target = self.run.report, self.result, self.exchanges, self.run.documents.run.trace.target
        named = {"requirement": row.id, "level": row.level.value}
        if row.verdict is Verdict.PASS or not row.findings:
            return named | sections.grounds(report, row)
        of_finding = sections.of_finding(report, row, row.findings[0])
        named |= {name: text if name in again.LABELS else in_own_words(text) for name, text in of_finding.items()}
        named |= sections.grounds(report, row)
        if raised := [each.raised for each in shown if each.raised]:
            named["server"] = raised[0]
        if (start := again.to_start(report.run.options, report.target.base_url)) and shown:
            named[again.BEFORE] = start
        calls = {each.id: f"{curl(each, target) or describe(each)}  # {in_words(each)}" for each in shown[:_SHOWN]}
        return named | calls
