from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.verdict import Outcome
from conformance.reports import badge

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("report", "words", "colour"),
    [
        (samples.data(samples.report(Outcome.CONFORMS)), "conforms", "brightgreen"),
        (samples.data(samples.report(Outcome.CONFORMS_IN_PART, left_out_clause="4.3")), "conforms in part", "green"),
        (samples.data(samples.report(Outcome.CONFORMS, findings=samples.alert_findings())),
         "conforms, 2 alerts", "yellow"),
        (samples.waived_data(samples.data(samples.report(
            findings={"4.3-answers-ok": samples.broken_findings()["4.3-answers-ok"]})), "4.3-answers-ok"),
         "conforms with waivers", "yellow"),
        (samples.eventful(samples.HOSTILE), "does not conform, 2 alerts", "red"),
        (samples.data(samples.report(Outcome.INCONCLUSIVE)), "inconclusive", "lightgrey"),
    ],
)  # fmt: skip
def test_both_badges_say_the_outcome(report: dict[str, object], words: str, colour: str) -> None:
    assert badge.endpoint(typed(report)) == {"schemaVersion": 1, "label": "DRSI", "message": words, "color": colour}
    image = ET.fromstring(badge.svg(typed(report)))
    assert (image.get("role"), image.get("aria-label")) == ("img", f"DRSI: {words}")
    assert image.findtext(f"{SVG}title") == f"DRSI: {words}"
    assert [text.text for text in image.iter(f"{SVG}text")] == ["DRSI", words]
