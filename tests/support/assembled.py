"""Verdicts of a run that is made by hand: of what checks said, and of exchanges."""

from __future__ import annotations

from typing import Any

from conformance.facts.world import Facts
from conformance.judge.decisions import Decisions
from conformance.judge.verdicts import results
from conformance.model.exchange import Exchange
from conformance.model.findings import CheckResult, Crashes, Finding
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.target import Target
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Blame, Verdict
from conformance.run.details import with_details
from conformance.trace.trace import Trace

EVERYTHING = frozenset(row.id for row in catalogue().rows.values() if not row.untestable)


def said(requirement_id: str, verdict: Verdict, *findings: Finding[Exchange]) -> CheckResult:
    return CheckResult(catalogue()[requirement_id], "test_x.py::test_y", verdict, list(findings))


def finding(verdict: Verdict, message: str = "So it was.", *shown: Exchange) -> Finding[Exchange]:
    blame = Blame.TARGET if verdict in (Verdict.FAIL, Verdict.WARN) else Blame.CONFIGURATION
    return Finding(
        verdict=verdict,
        blame=blame,
        message=message,
        expected="this",
        actual="that",
        remedy="mend it",
        exchanges=shown,
    )


def broken(requirement_id: str, *shown: Exchange, message: str = "So it was.") -> CheckResult:
    verdict = VERDICT_WHEN_BROKEN[catalogue()[requirement_id].level]
    return said(requirement_id, verdict, finding(verdict, message, *shown))


def assembled(
    checks: list[CheckResult], exchanges: list[Exchange] | None = None, **how: Any
) -> dict[str, RequirementResult]:
    how = {"selected": EVERYTHING, "left_out": (), "crashes": Crashes(), **how}
    return {row.id: row for row in results(checks, Decisions(Facts.of(exchanges or [])), **how)}


def detailed(checks: list[CheckResult], exchanges: list[Exchange]) -> dict[str, RequirementResult]:
    """Return the results as a report has them, with what the exchanges say of the findings."""
    trace = Trace(exchanges, Target(base_url="http://service.test"))
    return {row.id: row for row in with_details([*assembled(checks, exchanges).values()], trace)}


def failed(found: dict[str, RequirementResult]) -> set[str]:
    return {row.id for row in found.values() if row.verdict in (Verdict.FAIL, Verdict.WARN)}
