from __future__ import annotations

from typing import Any

import report_samples as samples
from report_samples import typed

from conformance.model.verdict import Outcome
from conformance.reports import sarif


def run_of(report: dict[str, Any]) -> dict[str, Any]:
    run: dict[str, Any] = sarif.document(typed(report))["runs"][0]
    return run


def test_two_runs_that_find_the_same_have_the_same_fingerprints() -> None:
    first, second = samples.eventful(), samples.eventful(" at another time")
    second["target"]["base_url"] = "http://127.0.0.1:8080"
    prints = [
        [result["partialFingerprints"]["primaryLocationLineHash"] for result in run_of(each)["results"]]
        for each in (first, second)
    ]
    assert prints[0] == prints[1]
    assert len(set(prints[0])) == len(prints[0])


def test_text_of_the_service_is_no_link() -> None:
    found = {"4.3-answers-ok": (samples.finding(samples.Verdict.FAIL, actual="[see](https://evil.example)"),)}
    (result,) = run_of(samples.data(samples.report(Outcome.DOES_NOT_CONFORM, findings=found)))["results"]
    assert r"\[see\](https://evil.example)" in result["message"]["text"]
