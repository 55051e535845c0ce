"""A token may be a word that the service uses too: the report keeps its shape, and the token shows nowhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from report_samples import errors_of, typed
from whole_runs import bent, only, run_over

from conformance.http.secrets.redaction import Redactor, without_secrets
from conformance.model.run_record import CheckedTarget
from conformance.reference.call import Call
from conformance.reference.service import Service
from conformance.reports import html, junit
from conformance.run.conclusion import Run
from conformance.run.documents import Documents
from conformance.trace.har import exchanges_of

WORDS = ("quagmire", "Zeppelins-of-1926", "4711-0815-4711")


class _Echo(Service):
    """Gives a few words of the report's own back as values and as names, and omits what it has to tell."""

    def settings(self, call: Call) -> Any:
        said = {word: f"it is {word}, {word.upper()}" for word in WORDS}
        return {**super().settings(call), "maxNumberOfRequests": said, "oAuthUrl": " ".join(WORDS)}


@pytest.fixture(scope="module")
def run() -> Run:
    found = run_over(bend=bent(_Echo), plan=only("2.3"))
    named = replace(found.report, target=CheckedTarget(base_url=f"http://x/{'/'.join(WORDS)}"))
    return replace(found, report=named)


def names_in(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for name, value in data.items():
            yield name
            yield from names_in(value)
    elif isinstance(data, list):
        for value in data:
            yield from names_in(value)


@pytest.mark.parametrize("word", WORDS)
def test_the_report_keeps_its_shape_and_holds_no_token(run: Run, word: str) -> None:
    redactor = Redactor([("DRSI_TOKEN", word)])
    clean = [without_secrets(each, redactor) for each in run.exchanges]
    found = replace(run, redactor=redactor, trace=replace(run.trace, exchanges=clean))

    data, evidence = json.loads(json.dumps([Documents(found).data, Documents(found).evidence]))

    assert errors_of(data) == []
    assert list(names_in([data, evidence])) == list(
        names_in(json.loads(json.dumps([Documents(run).data, Documents(run).evidence])))
    )
    for row, unredacted in zip(data["requirements"], Documents(run).data["requirements"], strict=True):
        assert [row[name] for name in ("id", "statement", "verdict")] == [
            unredacted[name] for name in ("id", "statement", "verdict")
        ]
    assert html.render(typed(data), exchanges_of(evidence))
    assert junit.render(typed(data))

    findings = [finding for row in data["requirements"] for finding in row["findings"]]
    told = [[each[name] for name in ("message", "expected", "actual", "remedy", "curl")] for each in findings]
    entries = evidence["log"]["entries"]
    sent = [pair["value"] for each in entries for pair in each["request"]["headers"]]
    bodies = [each["response"]["content"].get("text", "") for each in entries]
    assert findings
    assert word.lower() not in json.dumps([told, data["target"]["base_url"], bodies, sent]).lower()
    assert "[DRSI_TOKEN]" in json.dumps(bodies)
