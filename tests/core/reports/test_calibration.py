from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.published_score import calibration, proofs
from conformance.model.verdict import Outcome
from conformance.reports import html, junit, score
from conformance.trace.har import exchanges_of


@pytest.fixture
def report() -> dict[str, Any]:
    return samples.data(samples.report(Outcome.CONFORMS))


def test_the_published_score_is_what_a_report_states() -> None:
    document = json.loads((files("conformance.calibration") / "score.json").read_text("utf-8"))
    stated = calibration()

    assert stated is not None
    assert stated.measured == document["measured"]
    assert stated.catalogue == document["suite"]["catalogue"]
    for name in ("sensitivity", "attribution", "specificity"):
        measure = getattr(stated, name)
        assert {"kept": measure.kept, "of": measure.of} == document["score"][name]
    assert proofs() == document["score"]["proofs"]


def test_the_sentence_says_what_was_missed(report: dict[str, Any]) -> None:
    sentence = (
        "Self-test of the suite: 1,499 of 1,500 known faults detected, no false positives on 250 conforming services"
    )
    assert score.calibration_sentence(typed(report)) == f"{sentence}."
    report["suite"]["calibration"] |= {"version": "0.0.9", "specificity": {"kept": 248, "of": 250}}
    assert "2 false positives on 250 conforming services (measured with version 0.0.9)." in (
        score.calibration_sentence(typed(report))
    )


def test_a_suite_without_a_score_says_so(report: dict[str, Any]) -> None:
    report["suite"]["calibration"] = None

    assert "not known" in score.calibration_sentence(typed(report))
    assert "not known" in html.render(typed(report), exchanges_of(samples.evidence()))
    assert "not known" in junit.render(typed(report))
