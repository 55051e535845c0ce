from __future__ import annotations

from whole_runs import Silent, by_verdict, session_over

from conformance.model.verdict import Outcome, Verdict
from conformance.run.check import check
from conformance.run.options import Plan


def test_the_public_profile_creates_nothing_and_sends_no_token() -> None:
    with session_over() as session:
        report = check(session, Plan(profile="public"), Silent()).report
        exchanges = session.record.exchanges

    assert exchanges
    assert {exchange.request.method for exchange in exchanges} == {"GET"}
    assert "authorization" not in {name.lower() for each in exchanges for name, _ in each.request.headers}
    assert report.summary.created == 0
    assert report.outcome is Outcome.CONFORMS_IN_PART
    assert "4.1-answers-200" in report.scope.left_out
    assert by_verdict(report, Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE) == {}
    assert by_verdict(report, Verdict.PASS).keys() >= {"4.4-answers-200", "2.3-supportedLanaguages", "4.5-array"}
