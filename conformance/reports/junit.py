"""The run as JUnit XML, for the test views of CI systems: red exactly where the exit code is not 0."""

from __future__ import annotations

from datetime import datetime
from xml.etree import ElementTree as ET

from conformance import NAME
from conformance.model.findings import Finding
from conformance.model.printable import clip, one_line, printable
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.verdict import Exit, Verdict
from conformance.reports import basis, dependents, outcome, sections, summary
from conformance.reports.exit_code import exit_code
from conformance.reports.problems import Standing, problems, waiver_words

_LIMIT = 4096
_BESIDE = (Standing.ALERT, Standing.WARNING)
"""The standings that make no test red or skipped."""


def render(report: Report) -> str:
    """Return the XML document."""
    root = tree(report)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def tree(report: Report) -> ET.Element:
    """Return the elements: a test case per requirement, and one for the run if it fails for another reason.

    Only elements and attributes that the schemas of pytest and of Jenkins know are used; therefore the statement of a
    requirement is a property of the suite, under the name of its test case, with that on which it rests.
    """
    took = datetime.fromisoformat(report.finished) - datetime.fromisoformat(report.started)
    seconds = f"{max(0.0, took.total_seconds()):.3f}"
    suite = ET.Element("testsuite", name=NAME, timestamp=report.started, time=seconds)
    _properties(suite, report)
    decided = {each.id: each.standing for each in problems(report) if each.standing not in _BESIDE}
    for row in report.requirements:
        _requirement(suite, report, row, decided.get(row.id))
    for crash, line in zip(report.crashes, outcome.crash_lines(report), strict=True):
        _say(_case(suite, "run", f"the suite itself failed: {crash.where[0]}"), "error", line, crash.traceback)
    red = exit_code(report) is not Exit.CONFORMS
    if red and suite.find("testcase/failure") is None and suite.find("testcase/error") is None:
        _say(_case(suite, "run", "the run as a whole"), "error", outcome.outcome_sentence(report), "")
    root = ET.Element("testsuites", name=NAME, time=seconds)
    root.append(suite)
    totals = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error"}
    for attribute, path in totals.items():
        for element in (suite, root):
            element.set(attribute, str(len(suite.findall(path))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    return root


def _properties(suite: ET.Element, report: Report) -> None:
    properties = ET.SubElement(suite, "properties")
    values = {
        "outcome": report.outcome,
        "headline": outcome.headline(report),
        "sentence": outcome.outcome_sentence(report),
        "left-out": summary.scope_sentence(report) or "nothing",
        "set": report.scope.set or "none",
        "scored": summary.set_sentence(report) or "The whole catalogue.",
        "confirmations": summary.confirmations_sentence(report),
        "target": report.target.base_url,
        "version": report.suite.version,
        "specification": basis.edition_words(report),
        "catalogue": report.suite.catalogue,
        "calibration": summary.calibration_sentence(report),
        "seed": str(report.seed),
        "traffic": summary.traffic_sentence(report),
    }
    values |= {f"label:{name}": value for name, value in report.run.labels.items()}
    values |= {row.id: basis.stated(row) for row in report.requirements}
    for name, value in values.items():
        ET.SubElement(properties, "property", name=one_line(name, _LIMIT), value=one_line(value, _LIMIT))


def _requirement(suite: ET.Element, report: Report, row: RequirementResult, standing: Standing | None) -> None:
    case = _case(suite, row.clause, row.id, row.seconds)
    verdict = summary.shown_verdict(report, row)
    findings = summary.reasons(row, row.verdict)
    rests_on = "\n".join(clip(line, _LIMIT) for line in sections.lines(sections.grounds(report, row)))
    message, text = findings[0].message, "\n\n".join([*(_told(report, row, finding) for finding in findings), rests_on])
    match standing:
        case Standing.FAILED:
            _say(case, "failure", message, text)
        case Standing.UNDECIDED:
            _say(case, "error", message, text)
        case Standing.WAIVED:
            _say(case, "skipped", f"waived: {waiver_words(report, row)}", text)
        case Standing.UNSCORED:
            _say(case, "skipped", f"unscored, {verdict}: {message}", text)
        case _ if dependents.is_dependent(report, row):
            _say(case, "skipped", row.reason, text)
        case _ if verdict not in (Verdict.PASS, Verdict.WARN, Verdict.OBSERVED):
            _say(case, "skipped", f"{verdict}: {message}", "")
    _repetitions(case, row)
    said = findings if standing is Standing.FAILED else []
    others = [each for each in row.findings if each.verdict in (Verdict.WARN, Verdict.OBSERVED) and each not in said]
    if others:
        told = [f"{'alert' if each.alert else each.verdict}: {_told(report, row, each)}" for each in others]
        ET.SubElement(case, "system-out").text = printable("\n\n".join([*told, rests_on]), keep="\n\t")


def _repetitions(case: ET.Element, row: RequirementResult) -> None:
    """Add what failed in a repetition where another one had another verdict, in the elements of Surefire."""
    if len({each.verdict for each in row.repetitions}) < 2:
        return
    for number, each in enumerate(row.repetitions, 1):
        if each.verdict in (Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE):
            message = one_line(f"repetition {number}: {each.verdict}: {each.message}", _LIMIT)
            ET.SubElement(case, "flakyFailure", type=each.verdict, message=message)


def _case(suite: ET.Element, classname: str, name: str, seconds: float = 0.0) -> ET.Element:
    name = one_line(name, _LIMIT)
    return ET.SubElement(suite, "testcase", classname=classname, name=name, time=f"{seconds:.3f}")


def _say(case: ET.Element, tag: str, message: str, text: str) -> None:
    element = ET.SubElement(case, tag, message=one_line(message, _LIMIT))
    element.text = printable(text, keep="\n\t") or None


def _told(report: Report, row: RequirementResult, finding: Finding[str]) -> str:
    lines = [clip(line, _LIMIT) for line in sections.lines(sections.of_finding(report, row, finding))]
    lines += [f"{number}. {step.text}" for number, step in enumerate(finding.steps, 1)]
    lines += [f"exchanges: {', '.join(finding.exchanges)}"] if finding.exchanges else []
    return "\n".join(lines)
