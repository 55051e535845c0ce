"""Where little can be decided, a run accuses no service of what it did not see."""

from __future__ import annotations

from itertools import count

import httpx
from whole_runs import Send, Silent, around, config, row_of, session_over

from conformance.model.verdict import Verdict
from conformance.run.check import check
from conformance.run.options import Plan


def test_a_limit_that_counts_what_the_run_was_not_told_of_is_kept() -> None:
    made = count(1)

    def made_all_the_same(request: httpx.Request, send: Send) -> httpx.Response:
        """Fail over each third creation, after it was made."""
        answer = send(request)
        if request.method != "POST" or answer.status_code != 200 or next(made) % 3:
            return answer
        answer.close()
        return httpx.Response(500, json={"error": "Internal", "message": "timeout"})

    with session_over(config(max_requests=4), wrap=around(made_all_the_same), account_is_empty=True) as session:
        report = check(session, Plan(), Silent()).report

    assert session.journal.unknown
    # More than one call in ten fails, so the failures are more than an alert with their rate.
    assert "0-server-errors" in report.alerts
    assert row_of(report, "4.1-answers-200").verdict is Verdict.FAIL
    assert row_of(report, "8-accepts-up-to-limit").verdict is Verdict.INCONCLUSIVE
    assert row_of(report, "3-frees-the-limit").verdict is not Verdict.FAIL
