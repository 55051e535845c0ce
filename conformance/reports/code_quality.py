"""The run as a code quality report of GitLab, which shows it in a merge request."""

from __future__ import annotations

from conformance.model.printable import one_line
from conformance.model.report import Report
from conformance.reports import basis, people, sarif
from conformance.reports.problems import Standing, waiver_words

_LIMIT = 500
_SEVERITIES = {Standing.FAILED: "critical", Standing.ALERT: "major", Standing.WARNING: "minor"}


def issues(report: Report) -> list[dict[str, object]]:
    """Return the list of issues: one for each result of the SARIF file."""
    rows = {row.id: row for row in report.requirements}
    found: list[dict[str, object]] = []
    for result in sarif.document(report)["runs"][0]["results"]:
        row, standing = rows[result["ruleId"]], result["properties"]["standing"]
        waived = f"Waived: {waiver_words(report, row)} " if standing is Standing.WAIVED else ""
        message = f"{result['message']['text'].splitlines()[0]} {people.reply_to(report, row.id)}".strip()
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        found.append(
            {
                "description": one_line(f"{waived}{row.id} ({basis.rests_on(row)}): {message}", _LIMIT),
                "check_name": row.id,
                "fingerprint": result["partialFingerprints"]["primaryLocationLineHash"],
                "severity": _SEVERITIES.get(standing, "info"),
                "location": {"path": place, "lines": {"begin": 1}},
            }
        )
    return found
