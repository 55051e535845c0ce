from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.report import Report, data_of
from conformance.model.run_record import RunRecord
from conformance.model.verdict import Exit, Outcome
from conformance.reports import junit
from conformance.reports.exit_code import exit_code


def suite_of(report: Report) -> ET.Element:
    suite = ET.fromstring(junit.render(typed(samples.data(report))).encode()).find("testsuite")
    assert suite is not None
    return suite


BROKEN_FINDINGS = samples.broken_findings()
BROKEN = samples.report(findings=BROKEN_FINDINGS)
WARNED = {"2.2-isErasable-present": BROKEN_FINDINGS["2.2-isErasable-present"]}
UNDECIDED = {"8-limit-enforced": BROKEN_FINDINGS["8-limit-enforced"]}
UNDECIDED_ALERT = {"5-isolation": UNDECIDED["8-limit-enforced"]}
FAILED = {"4.3-answers-ok": BROKEN_FINDINGS["4.3-answers-ok"]}
WAIVER = samples.waiver("4.3-answers-ok")
STALE = samples.with_waivers(samples.report(Outcome.CONFORMS), Outcome.CONFORMS, replace(WAIVER, state="expired"))
UNDECIDED_OPEN = {"0-redirects": BROKEN_FINDINGS["8-limit-enforced"]}


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
        samples.report(Outcome.INCONCLUSIVE, findings=UNDECIDED_ALERT, fail_on=("5-isolation",)),
        samples.report(Outcome.CONFORMS, findings=UNDECIDED_ALERT),
        samples.report(Outcome.CONFORMS, findings=samples.alert_findings(), fail_on=("5-token-in-query",)),
        samples.report(findings=samples.alert_findings(), fail_on=("5-token-in-query", "5-isolation"), strict=True),
        samples.with_waivers(samples.report(findings=FAILED), Outcome.CONFORMS_WITH_WAIVERS, WAIVER),
        samples.with_waivers(samples.report(findings=FAILED), Outcome.INCONCLUSIVE, WAIVER),
        samples.with_waivers(samples.report(Outcome.CONFORMS), Outcome.CONFORMS, replace(WAIVER, state="unused")),
        STALE,
        replace(STALE, run=RunRecord(options={"stale-waivers": "warn"})),
        samples.report(Outcome.INCONCLUSIVE, left_behind=1),
        samples.report(Outcome.INCONCLUSIVE, complete=False),
    ],
)
def test_a_report_keeps_its_schema_and_is_green_exactly_where_the_command_is(report: Report) -> None:
    assert samples.errors_of(data_of(report)) == []
    suite = suite_of(report)
    assert (suite.get("failures") == suite.get("errors") == "0") == (exit_code(typed(data_of(report))) is Exit.CONFORMS)
