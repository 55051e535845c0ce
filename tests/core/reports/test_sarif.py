from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
from jsonschema import Draft4Validator
from report_samples import typed

from conformance.model.verdict import Outcome, Verdict
from conformance.reports import sarif

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0-rtm.5.json").read_text("utf-8"))


def run_of(report: dict[str, Any]) -> dict[str, Any]:
    run: dict[str, Any] = sarif.document(typed(report))["runs"][0]
    return run


def results_of(report: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for result in run_of(report)["results"]:
        found.setdefault(result["ruleId"], []).append(result)
    return found


@pytest.mark.parametrize("text", ["", samples.HOSTILE])
def test_it_is_valid(text: str) -> None:
    document = sarif.document(typed(samples.eventful(text)))
    Draft4Validator(SCHEMA, format_checker=Draft4Validator.FORMAT_CHECKER).validate(document)


def test_two_runs_that_find_the_same_have_the_same_fingerprints() -> None:
    first, second = samples.eventful(), samples.eventful(" at another time")
    second["target"]["base_url"] = "http://127.0.0.1:8080"
    prints = [
        [result["partialFingerprints"]["primaryLocationLineHash"] for result in run_of(each)["results"]]
        for each in (first, second)
    ]
    assert prints[0] == prints[1]
    assert len(set(prints[0])) == len(prints[0])


def test_github_takes_the_locations() -> None:
    """It rejects a file with a result that has no physical location, or one whose scheme is http."""
    for result in run_of(samples.eventful())["results"]:
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"] in {"requests", "settings", "data", "data/me"}
        assert location["physicalLocation"]["region"]["startLine"] == 1


def test_text_of_the_service_is_no_link() -> None:
    found = {"4.3-answers-ok": (samples.finding(samples.Verdict.FAIL, actual="[see](https://evil.example)"),)}
    (result,) = run_of(samples.data(samples.report(Outcome.DOES_NOT_CONFORM, findings=found)))["results"]
    assert r"\[see\](https://evil.example)" in result["message"]["text"]


def test_a_result_has_what_the_code_of_the_service_raised() -> None:
    raised = "KeyError: 'taal', in service.py, line 12"
    findings = {
        "4.4-object": (samples.finding(Verdict.FAIL, server=raised),),
        "4.5-array": (samples.finding(Verdict.FAIL),),
    }
    found = results_of(samples.data(samples.report(findings=findings)))

    assert found["4.4-object"][0]["properties"]["server"] == raised
    assert f"server: {raised}" in found["4.4-object"][0]["message"]["text"]
    assert "server" not in found["4.5-array"][0]["properties"]
