"""The run as a code quality report of GitLab, which shows it in a merge request."""

from __future__ import annotations

from typing import Any

from conformance.model.text import one_line
from conformance.reports import basis, sarif
from conformance.reports.problems import Standing, problems, waiver_words

_LIMIT = 500
_SEVERITIES = {Standing.FAILED: "critical", Standing.ALERT: "major", Standing.WARNING: "minor", Standing.WAIVED: "info"}


def issues(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the list of issues: one for each result that the SARIF file has as well."""
    rows = {row["id"]: row for row in report["requirements"]}
    found = []
    for result in sarif.results(report, problems(report)):
        standing, row = Standing(result["properties"]["standing"]), rows[result["ruleId"]]
        waived = f"Waived: {waiver_words(report, row)} " if standing is Standing.WAIVED else ""
        message = result["message"]["text"].splitlines()[0]
        found.append(
            {
                "description": one_line(f"{waived}{row['id']} ({basis.rests_on(row)}): {message}", _LIMIT),
                "check_name": row["id"],
                "fingerprint": result["partialFingerprints"]["primaryLocationLineHash"],
                "severity": _SEVERITIES[standing],
                "location": {
                    "path": result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                    "lines": {"begin": 1},
                },
            }
        )
    return found
