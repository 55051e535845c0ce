from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.report import Report
from conformance.model.report_data import data_of
from conformance.model.verdict import Exit, Outcome
from conformance.reports import junit
from conformance.reports.exit_code import exit_code


def suite_of(report: Report) -> ET.Element:
    suite = ET.fromstring(junit.render(typed(samples.data(report))).encode()).find("testsuite")
    assert suite is not None
    return suite


def case(suite: ET.Element, requirement_id: str) -> ET.Element:
    return next(found for found in suite.iter("testcase") if found.get("name") == requirement_id)


BROKEN = samples.report(findings=samples.broken_findings())
WARNED = {"2.2-isErasable-present": samples.broken_findings()["2.2-isErasable-present"]}
UNDECIDED = {"8-limit-enforced": samples.broken_findings()["8-limit-enforced"]}
UNDECIDED_OPEN = {"0-redirects": samples.broken_findings()["8-limit-enforced"]}


def test_stale_waivers_are_red_as_the_command_is() -> None:
    expired = samples.waiver("4.3-answers-ok", state="expired")
    data = samples.data(samples.with_waivers(samples.report(Outcome.CONFORMS), Outcome.CONFORMS, expired))
    assert ET.fromstring(junit.render(typed(data)).encode()).get("errors") == "1"
    data["run"]["options"]["stale-waivers"] = "warn"
    assert ET.fromstring(junit.render(typed(data)).encode()).get("errors") == "0"


def test_an_alert_that_has_to_be_decided_is_an_error_until_it_is() -> None:
    undecided = {"5-isolation": UNDECIDED["8-limit-enforced"]}
    asked, unasked = (
        suite_of(samples.report(Outcome.INCONCLUSIVE, findings=undecided, fail_on=fail_on))
        for fail_on in (("5-isolation",), ())
    )

    assert case(asked, "5-isolation").find("error") is not None
    assert case(unasked, "5-isolation").find("skipped") is not None
    assert "It could not decide 5-isolation, whose alert counts as a failure in this run" in ET.tostring(
        asked, encoding="unicode"
    )


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
        samples.report(Outcome.INCONCLUSIVE, left_behind=1),
        samples.report(Outcome.INCONCLUSIVE, complete=False),
    ],
)
def test_it_is_green_exactly_where_the_command_is(report: Report) -> None:
    suite = suite_of(report)
    assert (suite.get("failures") == suite.get("errors") == "0") == (exit_code(typed(data_of(report))) is Exit.CONFORMS)


def test_hostile_text_leaves_it_well_formed_and_bounded() -> None:
    hostile: dict[str, Any] = samples.broken_findings(samples.HOSTILE * 10_000)
    text = junit.render(typed(samples.data(samples.report(findings=hostile))))
    assert len(text) < 1_000_000
    assert not set(text) & set("\x00\x1b\x9b\ud800\u202e\ufffe")
    assert {element.tag for element in ET.fromstring(text.encode()).iter()} == {
        "testsuites", "testsuite", "properties", "property", "testcase", "failure", "error", "skipped", "system-out",
    }  # fmt: skip
