"""The clock of this machine: where another clock contradicts it, it decides nothing alone."""

from __future__ import annotations

from datetime import datetime, timedelta

import httpx
import pytest
from whole_runs import Send, around, differences, only, row_of, run_over

from conformance.model.verdict import Blame, Verdict
from conformance.reference.clock import SharedClock
from conformance.run import in_process


def without_date(request: httpx.Request, send: Send) -> httpx.Response:
    answer = send(request)
    answer.headers.pop("date", None)
    return answer


@pytest.mark.parametrize("hours", [-1, 0.02])
def test_a_clock_that_is_set_during_the_run_decides_nothing(monkeypatch: pytest.MonkeyPatch, hours: float) -> None:
    """The wall clock of the tester is set once, after some calls; the clock of the service goes on."""

    class Set(SharedClock):
        readings = 0

        def now(self) -> datetime:
            self.readings += 1
            return super().now() + timedelta(hours=hours if self.readings > 4 else 0)

    monkeypatch.setattr(in_process, "SharedClock", Set)

    run = run_over(plan=only("2.1-createdAt-value", "2.1-createdAt-precise"), wrap=around(without_date))

    found = row_of(run.report, "2.1-createdAt-value")
    assert (found.verdict, found.findings[0].blame) == (Verdict.INCONCLUSIVE, Blame.CONFIGURATION)
    assert "monotonic clock" in found.findings[0].message
    assert differences(run) == []
