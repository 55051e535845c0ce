from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
from jsonschema import Draft4Validator
from report_samples import typed

from conformance.model.requirements import catalogue
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


def test_each_requirement_is_a_rule_with_help() -> None:
    rules = run_of(samples.eventful())["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(catalogue().rows)
    for rule, row in zip(rules, catalogue().rows.values(), strict=True):
        assert rule["shortDescription"]["text"] == row.statement
        assert row.statement in rule["help"]["text"]
        assert row.remedy in rule["help"]["text"]
        assert rule["help"]["markdown"]


def test_failures_warnings_and_alerts_are_results_and_what_was_not_decided_is_none() -> None:
    report = samples.eventful()
    levels = {name: {result["level"] for result in found} for name, found in results_of(report).items()}
    assert levels == {
        "1.4-every-parameter": {"error"},
        "2.3-supportedLanaguages": {"error"},
        "3-in-progress-no-completedAt": {"error"},
        "4.3-answers-ok": {"error"},
        "2.2-isErasable-present": {"warning"},
        "5-token-over-http": {"warning"},
        "5-isolation": {"warning"},
    }
    invocation = run_of(report)["invocations"][0]
    assert (invocation["exitCode"], invocation["executionSuccessful"]) == (1, True)
    told = [
        note["associatedRule"]["id"] for note in invocation["toolExecutionNotifications"] if "associatedRule" in note
    ]
    assert told == ["8-limit-enforced", "8-accepts-up-to-limit", "8-completed-do-not-count"]


def test_a_result_states_expected_and_actual_and_points_to_its_rule() -> None:
    run = run_of(samples.eventful())
    result = next(found for found in run["results"] if found["ruleId"] == "4.3-answers-ok")
    assert (result["properties"]["expected"], result["properties"]["actual"]) == ("OK", '"OK"')
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "4.3-answers-ok"


def test_a_waived_failure_is_suppressed_and_no_other() -> None:
    results = results_of(samples.eventful())
    why = {"kind": "external", "status": "accepted"}
    why["justification"] = "Fixed in the next release. (Team A, until 2026-03-31)"
    assert [result["suppressions"] for result in results.pop("4.3-answers-ok")] == [[why], [why]]
    assert not any("suppressions" in result for found in results.values() for result in found)


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
