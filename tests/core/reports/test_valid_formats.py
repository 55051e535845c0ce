"""Files for other programs are what these programs take, also with hostile text of a service."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
from jsonschema import Draft4Validator, Draft7Validator, Draft202012Validator
from lxml import etree
from report_samples import typed

from conformance.model.report import Report, data_of
from conformance.model.run_record import RunRecord
from conformance.model.verdict import Exit, Outcome
from conformance.reports import ctrf, junit, sarif
from conformance.reports.exit_code import exit_code

SCHEMAS = Path(__file__).parent / "schemas"

each_text = pytest.mark.parametrize("text", ["", samples.HOSTILE])


def data(value: object) -> Any:
    return json.loads(json.dumps(value))


def schema_of_junit(name: str) -> etree.XMLSchema:
    """Return pytest's schema of JUnit files, or Jenkins' one (of its xUnit plugin), which differs in two places."""
    text = (SCHEMAS / "junit-pytest.xsd").read_text("utf-8")
    if name == "jenkins":
        text = text.replace('<xs:attribute name="version" type="xs:string"/>', "")
        text = text.replace(r"(\.[0-9]{0,3})?", r"(\.[0-9]*)?")
    return etree.XMLSchema(etree.fromstring(text.encode()))


@each_text
@pytest.mark.parametrize("name", ["pytest", "jenkins"])
def test_junit_is_valid(name: str, text: str) -> None:
    document = etree.fromstring(junit.render(typed(samples.eventful(text))).encode())
    assert {element.tag for element in document.iter()} == {
        "testsuites", "testsuite", "properties", "property", "testcase", "failure", "error", "skipped", "system-out",
    }  # fmt: skip
    schema_of_junit(name).assertValid(document)


@each_text
def test_ctrf_is_valid(text: str) -> None:
    """The schema is that of its reference implementation (npm ctrf 0.3.0, MIT)."""
    document = data(ctrf.document(typed(samples.eventful(text))))
    schema = json.loads((SCHEMAS / "ctrf-schema-0.0.json").read_text("utf-8"))
    Draft7Validator(schema, format_checker=Draft7Validator.FORMAT_CHECKER).validate(document)
    tests, summary = document["results"]["tests"], document["results"]["summary"]
    assert summary["tests"] == len(tests) == sum(summary[name] for name in ("passed", "failed", "skipped"))


@each_text
def test_sarif_is_valid(text: str) -> None:
    schema = json.loads((SCHEMAS / "sarif-2.1.0-rtm.5.json").read_text("utf-8"))
    document = sarif.document(typed(samples.eventful(text)))
    Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER).validate(document)


@each_text
def test_the_code_quality_report_is_valid(text: str) -> None:
    issues = sarif.issues(typed(samples.eventful(text)))
    Draft202012Validator(json.loads((SCHEMAS / "gl-code-quality.json").read_text("utf-8"))).validate(issues)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert all(str(issue["description"]).isprintable() for issue in issues)


def suite_of(report: Report) -> ET.Element:
    suite = ET.fromstring(junit.render(typed(samples.data(report))).encode()).find("testsuite")
    assert suite is not None
    return suite


BROKEN_FINDINGS = samples.broken_findings()
BROKEN = samples.report(findings=BROKEN_FINDINGS)
WARNED = {"2.2-isErasable-present": BROKEN_FINDINGS["2.2-isErasable-present"]}
UNDECIDED = {"8-limit-enforced": BROKEN_FINDINGS["8-limit-enforced"]}
UNDECIDED_ALERT = {"5-isolation": UNDECIDED["8-limit-enforced"]}
FAILED = {"4.3-answers-ok": BROKEN_FINDINGS["4.3-answers-ok"]}
WAIVER = samples.waiver("4.3-answers-ok")
STALE = samples.with_waivers(samples.report(Outcome.CONFORMS), Outcome.CONFORMS, replace(WAIVER, state="expired"))
UNDECIDED_OPEN = {"0-redirects": BROKEN_FINDINGS["8-limit-enforced"]}


@pytest.mark.parametrize(
    "report",
    [
        BROKEN,
        samples.report(Outcome.CONFORMS),
        samples.report(Outcome.CONFORMS, findings=WARNED),
        samples.report(Outcome.CONFORMS, findings=UNDECIDED_OPEN),
        samples.report(Outcome.CONFORMS_IN_PART, left_out_clause="4.3"),
        samples.report(Outcome.DOES_NOT_CONFORM, findings=WARNED, strict=True),
        samples.report(Outcome.CONFORMS, findings=samples.alert_findings()),
        samples.report(Outcome.DOES_NOT_CONFORM, findings=samples.alert_findings(), fail_on=("alerts",)),
        samples.report(Outcome.INCONCLUSIVE, findings=UNDECIDED),
        samples.report(Outcome.INCONCLUSIVE, findings=UNDECIDED_ALERT, fail_on=("5-isolation",)),
        samples.report(Outcome.CONFORMS, findings=UNDECIDED_ALERT),
        samples.report(Outcome.CONFORMS, findings=samples.alert_findings(), fail_on=("5-token-in-query",)),
        samples.report(findings=samples.alert_findings(), fail_on=("5-token-in-query", "5-isolation"), strict=True),
        samples.with_waivers(samples.report(findings=FAILED), Outcome.CONFORMS_WITH_WAIVERS, WAIVER),
        samples.with_waivers(samples.report(findings=FAILED), Outcome.INCONCLUSIVE, WAIVER),
        samples.with_waivers(samples.report(Outcome.CONFORMS), Outcome.CONFORMS, replace(WAIVER, state="unused")),
        STALE,
        replace(STALE, run=RunRecord(options={"stale-waivers": "warn"})),
        samples.report(Outcome.INCONCLUSIVE, left_behind=1),
        samples.report(Outcome.INCONCLUSIVE, complete=False),
    ],
)
def test_a_report_keeps_its_schema_and_is_green_exactly_where_the_command_is(report: Report) -> None:
    assert samples.errors_of(data_of(report)) == []
    suite = suite_of(report)
    assert (suite.get("failures") == suite.get("errors") == "0") == (exit_code(typed(data_of(report))) is Exit.CONFORMS)
