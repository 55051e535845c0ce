"""The run as SARIF 2.1.0, for code scanning: a rule for each requirement, a result for each finding to act on."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

from conformance.model.requirements import catalogue
from conformance.model.text import one_line
from conformance.model.verdict import Exit, Level
from conformance.reports import basis, dependents, summary
from conformance.reports.markdown import plain
from conformance.reports.problems import Problem, Standing, exit_code, problems, waiver_words

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LIMIT = 2048
_LEVELS = {Level.MUST: "error", Level.SHOULD: "warning", Level.OPEN: "note"}
_PLACES = {
    "1.4": "settings", "2.2": "data", "2.3": "settings", "4.4": "settings", "4.5": "data", "4.6": "data/me",
    "5.4-data": "data", "5.4-settings": "settings", "7-language": "data", "9": "data",
}  # fmt: skip
"""The path of the operation by the beginning of the id; all others are about /requests."""


def document(report: dict[str, Any]) -> dict[str, Any]:
    """Return the SARIF log of a report."""
    found = problems(report)
    rules = [_rule(report, row) for row in report["requirements"]]
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    suite = report["suite"]
    run = {
        "tool": {"driver": {"name": suite["name"], "version": suite["version"], "rules": rules}},
        "invocations": [_invocation(report, found)],
        "results": [result | {"ruleIndex": index[result["ruleId"]]} for result in results(report, found)],
        "properties": {
            "outcome": report["outcome"],
            "headline": summary.headline(report),
            "specification": basis.edition_words(report),
            "target": _clean(report["target"]["base_url"]),
            "seed": report["seed"],
            "labels": {_clean(name): _clean(value) for name, value in report["run"]["labels"].items()},
        },
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(report: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    known = catalogue().rows.get(row["id"])
    parts = {
        "": row["statement"],
        "Basis": f"{basis.rests_on(row)}. The statement is {basis.SUITE_WORDS}.",
        "Reason": basis.reason(row),
        "Interpretation": row["reading"],
        "Fix": known.remedy if known else "",
        **{f"The {basis.WORDS}, {place}": text for place, text in basis.words(report, row).items()},
    }
    parts = {name: _clean(text) for name, text in parts.items() if text}
    return {
        "id": row["id"],
        "shortDescription": {"text": parts[""]},
        "fullDescription": {"text": f"{parts['']} ({parts['Basis']})"},
        "help": {
            "text": "\n".join(f"{name}: {text}" if name else text for name, text in parts.items()),
            "markdown": "\n\n".join(
                f"**{name}**: {plain(text)}" if name else plain(text) for name, text in parts.items()
            ),
        },
        "defaultConfiguration": {"level": _LEVELS[Level(row["level"])]},
        "properties": {"tags": ["conformance", f"clause {row['clause']}", row["level"]]}
        | {"basis": basis.kind(row), "places": list(row.get("places") or ())},
    }


def results(report: dict[str, Any], found: list[Problem]) -> list[dict[str, Any]]:
    """Return the results for those of the problems `found` that the service is the cause of."""
    told = [problem for problem in found if problem.standing is not Standing.UNDECIDED]
    return [result for problem in told for result in _of_problem(report, problem)]


def _of_problem(report: dict[str, Any], problem: Problem) -> list[dict[str, Any]]:
    level = "error" if problem.standing in (Standing.FAILED, Standing.WAIVED) else "warning"
    seen: Counter[str] = Counter()
    found = []
    for finding in problem.findings:
        seen[finding["check"]] += 1
        # No message and no address: they may differ between two runs that find the same.
        same = f"{problem.id} {finding['check']} {seen[finding['check']]}"
        result: dict[str, Any] = {
            "ruleId": problem.id,
            "level": level,
            "message": {"text": _message(report, problem.row, finding)},
            "locations": [_location(report, problem.id)],
            "partialFingerprints": {"primaryLocationLineHash": f"{hashlib.sha256(same.encode()).hexdigest()[:16]}:1"},
            "properties": {name: _clean(finding[name]) for name in ("expected", "actual", "remedy", "curl")}
            | {"standing": problem.standing, "cause": finding["blame"], "exchanges": list(finding["exchanges"])},
        }
        if blocked := dependents.blocked_by(report, [problem.id]):
            result["properties"] |= {"blocks": [row["id"] for row in blocked]}
        if problem.standing is Standing.WAIVED:
            why = _clean(waiver_words(report, problem.row))
            result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why}]
        found.append(result)
    return found


def _message(report: dict[str, Any], row: dict[str, Any], finding: dict[str, Any]) -> str:
    # A viewer makes a link of [text](address).
    return "\n".join(
        _clean(line).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
        for line in (*summary.lines(finding), *basis.lines(report, row))
    )


def _location(report: dict[str, Any], requirement: str) -> dict[str, Any]:
    """Return the operation as a relative path: GitHub rejects a file with an http address or without a file."""
    path = next((place for start, place in _PLACES.items() if requirement.startswith(start)), "requests")
    address = f"{_clean(report['target']['base_url']).rstrip('/')}/{path}"
    return {
        "physicalLocation": {"artifactLocation": {"uri": path}, "region": {"startLine": 1}},
        "logicalLocations": [{"fullyQualifiedName": address, "kind": "resource"}],
    }


def _invocation(report: dict[str, Any], found: list[Problem]) -> dict[str, Any]:
    undecided = [problem for problem in found if problem.standing is Standing.UNDECIDED]
    notifications = [
        _notification("warning", f"{problem.id} could not be decided: {problem.findings[0]['message']}", problem.id)
        for problem in undecided
    ]
    notifications += [_notification("error", line) for line in summary.crash_lines(report)]
    notifications += [_notification("note", note["message"]) for note in report["notes"]]
    code = exit_code(report)
    return {
        "executionSuccessful": code in (Exit.CONFORMS, Exit.DOES_NOT_CONFORM),
        "exitCode": int(code),
        "exitCodeDescription": summary.outcome_sentence(report),
        "startTimeUtc": report["started"],
        "endTimeUtc": report["finished"],
        "toolExecutionNotifications": notifications,
    }


def _notification(level: str, text: str, requirement: str = "") -> dict[str, Any]:
    rule = {"associatedRule": {"id": requirement}} if requirement else {}
    return {"level": level, "message": {"text": _clean(text)}, **rule}


def _clean(text: str) -> str:
    return one_line(text, _LIMIT)
