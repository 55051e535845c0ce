"""What a store keeps of a report: the rows of its tables, without their ids."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from conformance.fleet.moments import moment
from conformance.model.printable import printable
from conformance.model.report import Attestation, Document, Report
from conformance.model.results import RequirementResult, Waiver
from conformance.model.verdict import Level, Verdict
from conformance.reports.basis import genuine

Row = dict[str, Any]

_KEPT: Final = "\n\t"


@dataclass(frozen=True)
class Contents:
    """The rows of a run."""

    run: Row
    verdicts: list[Row]
    findings: list[Row]
    statements: list[Row]
    quoted: Mapping[str, str] = field(default_factory=dict)
    """The words of the specification by place that the run keeps, as far as they are those of its edition."""


def contents(report: Report) -> Contents:
    """Return the rows of a report whose digests are known."""
    return Contents(
        run=_cleaned(_run(report)),
        verdicts=[_cleaned(_verdict(position, row)) for position, row in enumerate(report.requirements, 1)],
        findings=[_cleaned(finding) for row in report.requirements for finding in _findings(row)],
        statements=[_cleaned(statement) for statement in _statements(report)],
        quoted=genuine(report.quoted, report.suite.edition),
    )


def as_text(value: object) -> str:
    """Return JSON with sorted members, in which each hazardous character is an escape."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def cleaned(labels: Mapping[str, str]) -> dict[str, str]:
    """Return labels whose texts are printable."""
    return {printable(name): printable(value) for name, value in labels.items()}


def _cleaned(row: Row) -> Row:
    return {name: printable(value, keep=_KEPT) if type(value) is str else value for name, value in row.items()}


def _run(report: Report) -> Row:
    assert report.digests is not None
    musts, verdicts = report.summary.must, report.summary.verdicts
    return {
        "base_url": report.target.base_url,
        "started": moment(report.started),
        "finished": moment(report.finished),
        "outcome": report.outcome.value,
        "complete": report.complete,
        "profile": report.scope.profile,
        "requirement_set": report.scope.set,
        "testable": musts.testable,
        "decided": musts.decided,
        "passed": musts.passed,
        "failed": verdicts.get(Verdict.FAIL, 0),
        "warnings": verdicts.get(Verdict.WARN, 0),
        "waived": report.summary.waived,
        "alerts": len(report.alerts),
        "exchanges": report.summary.exchanges,
        "left_behind": report.summary.left_behind,
        "suite_version": report.suite.version,
        "suite_build": report.suite.build,
        "catalogue": report.suite.catalogue,
        "edition": report.suite.edition,
        "labels": as_text(cleaned(report.run.labels)),
        "evidence": report.digests.evidence,
        "report": report.digests.report,
    }


def _verdict(position: int, row: RequirementResult) -> Row:
    return {
        "requirement": row.id,
        "position": position,
        "clause": row.clause,
        "level": Level(row.level).value,
        "basis": row.basis.value if row.basis else "",
        "verdict": row.verdict.value,
        "alert": any(finding.alert for finding in row.findings),
        "waived": row.waived,
        "scored": row.scored,
        "reason": row.reason,
    }


def _findings(row: RequirementResult) -> Iterator[Row]:
    for position, finding in enumerate(row.findings, 1):
        yield {
            "requirement": row.id,
            "position": position,
            "check_name": finding.check,
            "verdict": finding.verdict.value,
            "blame": finding.blame.value,
            "message": finding.message,
            "expected": finding.expected,
            "actual": finding.actual,
            "remedy": finding.remedy,
            "alert": finding.alert,
            "exchanges": as_text(finding.exchanges),
        }


def _statements(report: Report) -> Iterator[Row]:
    for position, waiver in enumerate(report.waivers, 1):
        yield _waiver(waiver) | {"kind": "waiver", "position": position}
    for position, attestation in enumerate(report.attestations, 1):
        yield _attestation(attestation) | {"kind": "attestation", "position": position, "key": ""}
    for position, reply in enumerate(report.replies, 1):
        yield _attestation(reply) | {"kind": "reply", "position": position, "key": reply.key}


def _waiver(waiver: Waiver) -> Row:
    row = asdict(waiver)
    row |= {"statement": row.pop("reason"), "name": row.pop("owner")}
    return row | {"stated": "", "document": "", "document_sha256": "", "key": ""}


def _attestation(given: Attestation) -> Row:
    document = given.document or Document(name="", sha256="")
    return {
        "requirement": given.requirement,
        "statement": given.statement,
        "name": given.name,
        "stated": given.date,
        "document": document.name,
        "document_sha256": document.sha256,
        "expires": "",
        "state": "",
        "finding": "",
    }
