"""What counts as a failure in a run, which failures are waived, and what has to be decided."""

from __future__ import annotations

from collections.abc import Callable

from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.results import EXPIRED, IN_FORCE, UNUSED, RequirementResult, Waiver, counted, is_violated
from conformance.model.verdict import Level, Outcome
from conformance.reports.language import gettext, ngettext

Rows = list[tuple[RequirementResult, list[Finding[str]]]]
"""Requirements of a report, each with some of its findings."""


def failures(report: Report) -> Rows:
    """Return what counts as a failure in this run, waived or not: the requirements with their failing findings."""
    return with_findings(report, lambda row, finding: counts_as_failure(report, row, finding))


def failing(report: Report) -> list[str]:
    """Return the ids of the requirements that fail this run: a waiver covers none of them."""
    return [row.id for row, _ in failures(report) if not row.waived]


def with_findings(report: Report, wanted: Callable[[RequirementResult, Finding[str]], bool]) -> Rows:
    """Return the requirements that have findings which are `wanted`, each with those findings."""
    pairs = ((row, [each for each in row.findings if wanted(row, each)]) for row in report.requirements)
    return [(row, findings) for row, findings in pairs if findings]


def counts_as_failure(report: Report, row: RequirementResult, finding: Finding[str]) -> bool:
    """Tell whether a finding of `row` counts as a failure in this run, waived or not."""
    alert = row.scored and finding.alert and row.id in failing_alerts(report)
    return alert or is_violated(row, finding.verdict, strict=report.strict)


def failing_alerts(report: Report) -> tuple[str, ...]:
    """Return the ids of the alerts that count as failures, as asked."""
    return counted(report.alerts, report.fail_on)


def must_be_decided(report: Report, row: RequirementResult) -> bool:
    """Tell whether the run is inconclusive without a decision on `row`: a `must`, or an alert that --fail-on names."""
    alert = row.id in catalogue().alerts and counted([row.id], report.fail_on)
    return row.scored and (row.level == Level.MUST or bool(alert))


def is_conforming(report: Report) -> bool:
    """Whether the service conforms, perhaps in part or with waivers."""
    return report.outcome not in (Outcome.DOES_NOT_CONFORM, Outcome.INCONCLUSIVE)


def waivers_of(report: Report, row: RequirementResult) -> list[Waiver]:
    """Return the waivers in force for the requirement `row`."""
    return [each for each in report.waivers if each.requirement == row.id and each.state == IN_FORCE]


def stale_waivers(report: Report) -> list[Waiver]:
    """Return the waivers that fail the run: without any other failure, the exit code is 2."""
    states = () if report.run.options.get("stale-waivers") == "warn" else (EXPIRED, UNUSED)
    return [waiver for waiver in report.waivers if waiver.state in states]


def stale_sentence(report: Report) -> str:
    """Return which waivers fail the run; empty if none does."""
    stale = [_state(each) for each in stale_waivers(report)]
    if not stale:
        return ""
    return ngettext(
        "%(num)s stale waiver fails the run: %(waivers)s.",
        "%(num)s stale waivers fail the run: %(waivers)s.",
        len(stale),
        waivers=", ".join(stale),
    )


def _state(waiver: Waiver) -> str:
    expired = waiver.state == EXPIRED
    return (
        gettext("%(id)s expired", id=waiver.requirement) if expired else gettext("%(id)s unused", id=waiver.requirement)
    )
