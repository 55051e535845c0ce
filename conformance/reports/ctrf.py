"""The run in the Common Test Report Format, which comments, dashboards and chat messages of CI systems are made of."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Final
from xml.etree import ElementTree as ET

from conformance import NAME
from conformance.model.report import Report
from conformance.reports import junit, outcome, summary

_VERSION: Final = "0.0.0"
"""The version of the format."""
_STATUSES: Final = {"failure": "failed", "error": "failed", "skipped": "skipped"}
"""The status of a test case with this element: the cases are those of JUnit, so both are red for the same runs."""


def document(report: Report) -> dict[str, object]:
    """Return the document: a test for each requirement, and one for the run if it fails for another reason."""
    verdicts = {row.id: str(summary.shown_verdict(report, row)) for row in report.requirements}
    tests = [_test(case, verdicts) for case in junit.tree(report).iter("testcase")]
    counts = Counter(test["status"] for test in tests)
    start, stop = (_milliseconds(moment) for moment in (report.started, report.finished))
    return {
        "reportFormat": "CTRF",
        "specVersion": _VERSION,
        "timestamp": report.finished,
        "generatedBy": f"{NAME} {report.suite.version}",
        "results": {
            "tool": {
                "name": NAME,
                "version": report.suite.version,
                "extra": {"build": report.suite.build, "edition": report.suite.edition, "set": report.scope.set},
            },
            "summary": {
                "tests": len(tests),
                **{status: counts[status] for status in ("passed", "failed", "skipped", "pending", "other")},
                "start": start,
                "stop": max(start, stop),
                "extra": {"outcome": report.outcome, "headline": outcome.headline(report), "alerts": report.alerts},
            },
            "tests": tests,
            "environment": {"appName": report.target.base_url, "extra": dict(report.run.labels)},
        },
    }


def _test(case: ET.Element, verdicts: dict[str, str]) -> dict[str, object]:
    said = next((each for each in case if each.tag in _STATUSES), None)
    name = case.get("name", "")
    test = {
        "name": name,
        "status": _STATUSES[said.tag] if said is not None else "passed",
        "duration": round(1_000 * float(case.get("time", "0"))),
        "suite": [NAME, case.get("classname", "")],
    }
    if name in verdicts:
        test["rawStatus"] = verdicts[name]
    if said is not None:
        test["message"] = said.get("message", "")
        test |= {"trace": said.text} if said.text else {}
    return test


def _milliseconds(moment: str) -> int:
    return round(1_000 * datetime.fromisoformat(moment).timestamp())
