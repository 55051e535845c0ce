"""CTRF: valid by the schema of its reference implementation (npm ctrf 0.3.0, MIT), and red where JUnit is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import report_samples as samples
from jsonschema import Draft7Validator
from report_samples import typed

from conformance.reports import ctrf, junit

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "ctrf-schema-0.0.json").read_text("utf-8"))


def results(report: dict[str, Any]) -> Any:
    return json.loads(json.dumps(ctrf.document(typed(report))))["results"]


@pytest.mark.parametrize("text", ["", samples.HOSTILE])
def test_it_is_valid(text: str) -> None:
    document = json.loads(json.dumps(ctrf.document(typed(samples.eventful(text)))))
    Draft7Validator(SCHEMA, format_checker=Draft7Validator.FORMAT_CHECKER).validate(document)
    tests, summary = document["results"]["tests"], document["results"]["summary"]
    assert summary["tests"] == len(tests) == sum(summary[name] for name in ("passed", "failed", "skipped"))
    assert all(test["name"].isprintable() for test in tests)


def test_a_test_fails_where_that_of_junit_does() -> None:
    report = samples.eventful()
    cases = {case.get("name"): case for case in ET.fromstring(junit.render(typed(report))).iter("testcase")}
    red = {name for name, case in cases.items() if case.find("failure") is not None or case.find("error") is not None}
    tests = {test["name"]: test for test in results(report)["tests"]}
    assert {name for name, test in tests.items() if test["status"] == "failed"} == red
    assert tests.keys() == cases.keys()
    failed = tests["1.4-every-parameter"]
    assert (failed["rawStatus"], failed["suite"]) == ("fail", ["drsi-conformance", "1.4"])
    assert failed["message"]
    assert tests["4.3-answers-ok"]["message"].startswith("waived: ")
