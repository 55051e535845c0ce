from __future__ import annotations

import json
from typing import Any

import pytest
import report_samples as samples

from conformance.trace.har import LARGE, exchanges_of, har


@pytest.fixture
def entries() -> dict[str, dict[str, Any]]:
    return {entry["_id"]: entry for entry in samples.evidence(samples.HOSTILE)["log"]["entries"]}


def test_an_exchange_without_answer_has_status_0_and_its_trouble(entries: dict[str, dict[str, Any]]) -> None:
    entry = entries["e8"]
    assert entry["response"]["status"] == 0
    assert (entry["_trouble"], entry["_trouble_detail"]) == ("deadline", "nothing within 10 s")
    assert entries["e1"]["_trouble"] is None


@pytest.mark.parametrize("text", ["", samples.HOSTILE])
def test_every_exchange_comes_back_as_it_was(text: str) -> None:
    exchanges = samples.exchanges(text)
    assert exchanges_of(json.loads(json.dumps(har(exchanges)))) == exchanges


def test_a_large_body_is_kept_once(entries: dict[str, dict[str, Any]]) -> None:
    repeated = entries["e3"]["response"]["content"]
    assert repeated["_same_as"] == "e2"
    assert repeated["comment"] == "same content as entry e2"
    assert repeated["text"] == ""
    assert repeated["size"] == entries["e2"]["response"]["content"]["size"] > LARGE


def test_a_body_that_is_nowhere_is_an_error() -> None:
    evidence = samples.evidence()
    evidence["log"]["entries"] = [each for each in evidence["log"]["entries"] if each["_id"] != "e2"]
    with pytest.raises(KeyError, match="e2"):
        exchanges_of(evidence)
