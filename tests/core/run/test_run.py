from __future__ import annotations

import json

import pytest
from whole_runs import USERS, Silent, by_verdict, session_over

from conformance.http.session import Session
from conformance.model.report import Report
from conformance.model.requirements import UnknownRequirement
from conformance.model.verdict import Outcome, Verdict
from conformance.run.check import check
from conformance.run.conclusion import Run
from conformance.run.documents import Documents
from conformance.run.options import Plan

UNDECIDED = (Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE)


def reasons(report: Report) -> dict[str, list[str]]:
    """Return what stands in the way of a clean report, for a failing test to show."""
    return {name: [each.message for each in row.findings] for name, row in by_verdict(report, *UNDECIDED).items()}


# ---------------------------------------------------------------------- the whole run


@pytest.fixture(scope="module")
def whole() -> tuple[Run, Session]:
    with session_over(account_is_empty=True) as session:
        return check(session, Plan(), Silent()), session


def test_nothing_is_left_behind(whole: tuple[Run, Session]) -> None:
    summary, journal = whole[0].report.summary, whole[1].journal

    assert summary.created == summary.deleted == journal.created > 0
    assert (summary.left_behind, journal.live, journal.pending) == (0, {}, 0)


def test_no_token_is_in_report_or_evidence(whole: tuple[Run, Session]) -> None:
    written = json.dumps([Documents(whole[0]).data, Documents(whole[0]).evidence])

    assert [user.name for user in USERS if user.token in written] == []


# ---------------------------------------------------------------------- profiles and selections


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
    assert reasons(report) == {}
    assert by_verdict(report, Verdict.PASS).keys() >= {"4.4-answers-200", "2.3-supportedLanaguages", "4.5-array"}


@pytest.mark.parametrize("plan", [Plan(select=("4.33",)), Plan(deselect=("4.3-answer-ok",))])
def test_an_unknown_selection_is_refused_before_anything_is_asked(plan: Plan) -> None:
    with session_over() as session:
        with pytest.raises(UnknownRequirement, match=r"4\.3"):
            check(session, plan, Silent())
        assert len(session.record) == 0


# ---------------------------------------------------------------------- what stops a run
