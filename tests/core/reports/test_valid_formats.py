"""Files for other programs are what these programs take, also with hostile text of a service."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
from jsonschema import Draft4Validator, Draft7Validator, Draft202012Validator
from lxml import etree
from report_samples import typed

from conformance.reports import ctrf, junit, sarif

SCHEMAS = Path(__file__).parent / "schemas"

pytestmark = pytest.mark.parametrize("text", ["", samples.HOSTILE])


def data(value: object) -> Any:
    return json.loads(json.dumps(value))


def schema_of_junit(name: str) -> etree.XMLSchema:
    """Return pytest's schema of JUnit files, or Jenkins' one (of its xUnit plugin), which differs in two places."""
    text = (SCHEMAS / "junit-pytest.xsd").read_text("utf-8")
    if name == "jenkins":
        text = text.replace('<xs:attribute name="version" type="xs:string"/>', "")
        text = text.replace(r"(\.[0-9]{0,3})?", r"(\.[0-9]*)?")
    return etree.XMLSchema(etree.fromstring(text.encode()))


@pytest.mark.parametrize("name", ["pytest", "jenkins"])
def test_junit_is_valid(name: str, text: str) -> None:
    document = etree.fromstring(junit.render(typed(samples.eventful(text))).encode())
    assert {element.tag for element in document.iter()} == {
        "testsuites", "testsuite", "properties", "property", "testcase", "failure", "error", "skipped", "system-out",
    }  # fmt: skip
    schema_of_junit(name).assertValid(document)


def test_ctrf_is_valid(text: str) -> None:
    """The schema is that of its reference implementation (npm ctrf 0.3.0, MIT)."""
    document = data(ctrf.document(typed(samples.eventful(text))))
    schema = json.loads((SCHEMAS / "ctrf-schema-0.0.json").read_text("utf-8"))
    Draft7Validator(schema, format_checker=Draft7Validator.FORMAT_CHECKER).validate(document)
    tests, summary = document["results"]["tests"], document["results"]["summary"]
    assert summary["tests"] == len(tests) == sum(summary[name] for name in ("passed", "failed", "skipped"))


def test_sarif_is_valid(text: str) -> None:
    schema = json.loads((SCHEMAS / "sarif-2.1.0-rtm.5.json").read_text("utf-8"))
    document = sarif.document(typed(samples.eventful(text)))
    Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER).validate(document)


def test_the_code_quality_report_is_valid(text: str) -> None:
    issues = sarif.issues(typed(samples.eventful(text)))
    Draft202012Validator(json.loads((SCHEMAS / "gl-code-quality.json").read_text("utf-8"))).validate(issues)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert all(str(issue["description"]).isprintable() for issue in issues)
