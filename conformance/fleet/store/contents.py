"""What a store keeps of a report: the rows of its tables, without their ids."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from conformance.fleet.moments import moment
from conformance.fleet.store.rows import Statement, StoredFinding, StoredVerdict
from conformance.model.printable import printable
from conformance.model.report import Document, Report
from conformance.model.results import RequirementResult
from conformance.model.verdict import Verdict
from conformance.reports.basis import genuine

Row = dict[str, Any]

_LINES: Final = "\n\t"
"""What stays of the characters that are no text."""


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
        run={name: _kept(value) for name, value in _run(report).items()},
        verdicts=[_verdict(position, row) for position, row in enumerate(report.requirements, 1)],
        findings=[finding for row in report.requirements for finding in _findings(row)],
        statements=list(_statements(report)),
        quoted=genuine(report.quoted, report.suite.edition),
    )


def as_text(value: object) -> str:
    """Return JSON with sorted members, in which each hazardous character is an escape."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def cleaned(labels: Mapping[str, str]) -> dict[str, str]:
    """Return labels whose texts are printable."""
    return {printable(name): printable(value) for name, value in labels.items()}


def _row(kind: type, part: object, /, **own: object) -> Row:
    """Return the columns of a class: those given, and members of the same names of a part of a report, else empty."""
    return {each.name: _kept(own.get(each.name, getattr(part, each.name, ""))) for each in fields(kind)}


def _kept(value: object) -> object:
    """Return a value as a column has it."""
    if isinstance(value, tuple):
        return as_text(value)
    return printable(str(value), keep=_LINES) if isinstance(value, str) else value


def _run(report: Report) -> Row:
    assert report.digests is not None
    musts, verdicts = report.summary.must, report.summary.verdicts
    return {
        "base_url": report.target.base_url,
        "started": moment(report.started),
        "finished": moment(report.finished),
        "outcome": report.outcome,
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
    is_alert = any(finding.alert for finding in row.findings)
    found = _row(StoredVerdict, row, requirement=row.id, basis=row.basis or "", alert=is_alert)
    return found | {"position": position}


def _findings(row: RequirementResult) -> Iterator[Row]:
    for position, each in enumerate(row.findings, 1):
        yield _row(StoredFinding, each, requirement=row.id, position=position, check_name=each.check)


def _statements(report: Report) -> Iterator[Row]:
    for position, waiver in enumerate(report.waivers, 1):
        yield _row(Statement, waiver, kind="waiver", position=position, statement=waiver.reason, name=waiver.owner)
    for kind, given in (("attestation", report.attestations), ("reply", report.replies)):
        for position, each in enumerate(given, 1):
            document = each.document or Document(name="", sha256="")
            attached = {"document": document.name, "document_sha256": document.sha256}
            yield _row(Statement, each, kind=kind, position=position, stated=each.date, **attached)
