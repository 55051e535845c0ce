"""The run as SARIF 2.1.0, for code scanning: a rule for each requirement, a result for each finding to act on.

The code quality report of GitLab, which a merge request shows, is made of the same results.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from conformance.model.findings import Finding
from conformance.model.printable import one_line
from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.verdict import Exit, Level
from conformance.reports import basis, people, sections
from conformance.reports.exit_code import exit_code
from conformance.reports.markdown import plain
from conformance.reports.problems import Problem, Standing, problems, waiver_words

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LIMIT = 2048
_DESCRIPTION = 500
"""Characters of an issue of the code quality report."""

Json = dict[str, Any]
"""An object of the log."""

_LEVELS = {Level.MUST: "error", Level.SHOULD: "warning", Level.OPEN: "note"}
_LEVEL_OF = {Standing.FAILED: "error", Standing.WAIVED: "error", Standing.UNSCORED: "note"}
"""The level of a result; that of every other is a warning."""
_PLACES = {
    "1.4": "settings", "2.2": "data", "2.3": "settings", "4.4": "settings", "4.5": "data", "4.6": "data/me",
    "5.4-data": "data", "5.4-settings": "settings", "7-language": "data", "9": "data",
}  # fmt: skip
"""The path of the operation by the beginning of the id; all others are about /requests."""


def document(report: Report) -> Json:
    """Return the SARIF log of a report."""
    found = problems(report)
    rules = [_rule(report, row) for row in report.requirements]
    index = {row.id: number for number, row in enumerate(report.requirements)}
    suite = report.suite
    run = {
        "tool": {"driver": {"name": suite.name, "version": suite.version, "rules": rules}},
        "invocations": [{"executionSuccessful": exit_code(report) in (Exit.CONFORMS, Exit.DOES_NOT_CONFORM)}],
        "results": [
            result | {"ruleIndex": index[problem.id]}
            for problem in found
            if problem.standing is not Standing.UNDECIDED
            for result in _results(report, problem)
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(report: Report, row: RequirementResult) -> Json:
    known = catalogue().rows.get(row.id)
    parts = {
        "": row.statement,
        "Basis": f"{basis.rests_on(row)}. The statement is {basis.SUITE_WORDS}.",
        "Reason": basis.reason(row),
        "Interpretation": row.reading,
        "Fix": known.remedy if known else "",
        "Page": basis.page(report, row.id) or basis.packaged_page(row.id),
        **{f"The {basis.WORDS}, {place}": text for place, text in basis.words(report, row).items()},
    }
    parts = {name: _clean(text) for name, text in parts.items() if text}
    return {
        "id": row.id,
        "shortDescription": {"text": parts[""]},
        "fullDescription": {"text": f"{parts['']} ({parts['Basis']})"},
        "help": {
            "text": "\n".join(f"{name}: {text}" if name else text for name, text in parts.items()),
            "markdown": "\n\n".join(
                f"**{name}**: {plain(text)}" if name else plain(text) for name, text in parts.items()
            ),
        },
        **({"helpUri": address} if (address := basis.page(report, row.id)) else {}),
        "defaultConfiguration": {"level": _LEVELS[row.level]},
        "properties": {
            "tags": ["conformance", f"clause {row.clause}", row.level, *([] if row.scored else ["unscored"])]
        }
        | {"basis": basis.kind(row), "places": list(row.places)},
    }


def _results(report: Report, problem: Problem) -> Iterator[Json]:
    """Yield a result for each finding; its fingerprint is that of the same finding in another run."""
    path = next((place for start, place in _PLACES.items() if problem.id.startswith(start)), "requests")
    seen: Counter[str] = Counter()
    for finding in problem.findings:
        seen[finding.check] += 1
        # No message and no address: they may differ between two runs that find the same.
        same = f"{problem.id} {finding.check} {seen[finding.check]}"
        members: Json = {
            "ruleId": problem.id,
            "level": _LEVEL_OF.get(problem.standing, "warning"),
            "message": {"text": _message(report, problem.row, finding)},
            "locations": [_location(report, path)],
            "partialFingerprints": {
                "primaryLocationLineHash": f"{hashlib.sha256(same.encode()).hexdigest()[:16]}:1",
            },
            "properties": {
                "standing": problem.standing,
                "cause": finding.blame,
                "exchanges": list(finding.exchanges),
            },
        }
        if problem.standing is Standing.WAIVED:
            why = _clean(waiver_words(report, problem.row))
            members["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why}]
        yield members


def _message(report: Report, row: RequirementResult, finding: Finding[str]) -> str:
    # A viewer makes a link of [text](address).
    mark = "" if row.scored else f"Unscored by the set {report.scope.set}, decides nothing: "
    lines = map(_clean, sections.all_lines(report, row, finding))
    return mark + "\n".join(re.sub(r"([\\\[\]])", r"\\\1", line) for line in lines)


def _location(report: Report, path: str) -> Json:
    """Return the operation as a relative path: GitHub rejects a file with an http address or without a file."""
    address = f"{_clean(report.target.base_url).rstrip('/')}/{path}"
    return {
        "physicalLocation": {"artifactLocation": {"uri": path}, "region": {"startLine": 1}},
        "logicalLocations": [{"fullyQualifiedName": address, "kind": "resource"}],
    }


def _clean(text: str) -> str:
    return one_line(text, _LIMIT)


_SEVERITIES = {Standing.FAILED: "critical", Standing.ALERT: "major", Standing.WARNING: "minor"}


def issues(report: Report) -> list[dict[str, object]]:
    """Return the code quality report: an issue for each result."""
    rows = {row.id: row for row in report.requirements}
    found: list[dict[str, object]] = []
    for result in document(report)["runs"][0]["results"]:
        row, standing = rows[result["ruleId"]], result["properties"]["standing"]
        waived = f"Waived: {waiver_words(report, row)} " if standing is Standing.WAIVED else ""
        message = f"{result['message']['text'].splitlines()[0]} {people.reply_to(report, row.id)}".strip()
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        found.append(
            {
                "description": one_line(f"{waived}{row.id} ({basis.rests_on(row)}): {message}", _DESCRIPTION),
                "check_name": row.id,
                "fingerprint": result["partialFingerprints"]["primaryLocationLineHash"],
                "severity": _SEVERITIES.get(standing, "info"),
                "location": {"path": place, "lines": {"begin": 1}},
            }
        )
    return found
