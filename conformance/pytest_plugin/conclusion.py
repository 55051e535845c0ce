"""The conclusion of a run in the user's own pytest: the whole result, and why a green selection may not be green."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from conformance.http.secrets.redaction import Redactor
from conformance.model.requirements import all_testable
from conformance.model.results import EXPIRED, UNUSED, RequirementResult
from conformance.model.text import count
from conformance.model.verdict import Level, Outcome, Verdict
from conformance.reports import summary
from conformance.reports.problems import Standing, by_standing
from conformance.run.all_checks import all_checks
from conformance.run.check_results import CheckResults
from conformance.run.conclusion import Frame, concluded
from conformance.run.documents import Documents
from conformance.run.items import requirement_of
from conformance.run.options import Plan

_SHOWS_NOTHING = (Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE, Verdict.NOT_TESTED)


@dataclass(frozen=True, kw_only=True)
class Conclusion:
    """The result of a run that is over."""

    documents: Documents
    """The result of the requirements that were tested, each by all of its checks or with a violation."""
    rows: tuple[RequirementResult, ...]
    """The requirements of the checks that ran, as far as these tested them."""
    others: tuple[RequirementResult, ...]
    """Violated requirements of other checks: the exchanges show it."""
    checks: int
    of: int
    """How many checks ran, and how many there are."""
    failed: AbstractSet[str]
    """The requirements of which a test has failed."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the run is not green, though no test failed."""
        return tuple(self._reasons())

    def _reasons(self) -> Iterator[str]:
        report = self.documents.run.report
        musts = [row for row in self.rows if row.level is Level.MUST and row.scored]
        undecided = [row.id for row in musts if row.verdict is Verdict.INCONCLUSIVE]
        if undecided:
            yield f"{count(len(undecided), 'must')} not decided: {summary.first_ids(undecided, 5)}."
        if all(row.verdict in _SHOWS_NOTHING for row in self.rows if row.scored):
            yield "No requirement was decided."
        for row in self.rows:
            if row.verdict is Verdict.FAIL and row.scored and not row.waived and row.id not in self.failed:
                yield f"{row.id}: {row.findings[0].message}"
        for waiver in report.waivers:
            is_stale = waiver.state == EXPIRED or (waiver.state == UNUSED and self.checks == self.of)
            if is_stale and waiver.requirement in {row.id for row in self.rows}:
                known_as = f"{waiver.reason}; {waiver.owner}"
                yield f"The waiver of {waiver.requirement} ({known_as}) is {waiver.state}. Remove it."
        if left := report.summary.left_behind:
            yield f"{count(left, 'data request')} left behind."
        elif (lost := report.summary.not_found) and report.outcome is Outcome.INCONCLUSIVE:
            yield f"{count(lost, 'data request')} not found when they were to be deleted: they may still exist."
        if not report.complete:
            yield "The run is not complete."
        if report.crashes:
            yield f"The suite crashed: {report.crashes[0].exception}."

    def lines(self) -> Iterator[str]:
        """Yield the result for people, without secrets."""
        report, clean = self.documents.shown, self.documents.run.redactor.text
        yield summary.numbers_sentence(report)
        if of_set := summary.set_sentence(report):
            yield of_set
        for each in by_standing(report)[Standing.UNSCORED]:
            yield f"Unscored, decides nothing: {each.id} {each.row.verdict}: {each.findings[0].message}"
        yield summary.traffic_sentence(report)
        if self.checks < self.of:
            yield f"{self.checks} of {self.of} checks ran: a whole run may find more."
        for row in self.others:
            yield f"Seen in these exchanges, of a check that did not run: {row.id}: {clean(row.findings[0].message)}"
        for note in report.notes:
            yield " ".join(filter(None, (note.message, note.remedy)))
        for reason in self.reasons:
            yield f"Not green: {clean(reason)}"


def concluded_run(
    run: CheckResults, plan: Plan, frame: Frame, redactor: Redactor, failed: AbstractSet[str]
) -> Conclusion:
    """Return the conclusion of a run whose calls are over; `failed` are the requirements of which a test has failed."""
    ran = {result.requirement.id for result in run.results}
    every = Counter(requirement_of(item).id for item in all_checks())
    done = Counter(row for row, _ in {(result.requirement.id, result.check) for result in run.results})
    whole = concluded(run, plan, all_testable(), frame, redactor)
    rows = tuple(row for row in whole.report.requirements if row.id in ran)
    broken = {row.id for row in whole.report.requirements if row.verdict in (Verdict.FAIL, Verdict.WARN)}
    shown = frozenset(row for row in ran if done[row] == every[row] or row in broken)
    if shown != all_testable():
        selected = replace(plan, select=tuple(sorted(shown)))
        result = concluded(run, selected, shown, frame, redactor)
    else:
        result = whole
    others = tuple(row for row in whole.report.requirements if row.id in broken - ran)
    return Conclusion(
        documents=Documents(result),
        rows=rows,
        others=others,
        checks=done.total(),
        of=every.total(),
        failed=failed,
    )
