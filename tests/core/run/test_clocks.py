"""The clock of this machine: where another clock contradicts it, it decides nothing alone."""

from __future__ import annotations

from datetime import datetime, timedelta

import httpx
import pytest
from whole_runs import Send, around, config, differences, only, row_of, run_over

from conformance.calibration.variant import Variant
from conformance.model.results import RequirementResult
from conformance.model.verdict import Blame, Verdict
from conformance.reference.clock import SharedClock
from conformance.run import in_process

PLAN = only("2.1-createdAt-value", "2.1-createdAt-precise")


def set_during_the_run(monkeypatch: pytest.MonkeyPatch, hours: float) -> None:
    """Let the wall clock of the tester be set once, after some calls; the clock of the service goes on."""

    class Set(SharedClock):
        readings = 0

        def now(self) -> datetime:
            self.readings += 1
            return super().now() + timedelta(hours=hours if self.readings > 4 else 0)

    monkeypatch.setattr(in_process, "SharedClock", Set)


def without_date(request: httpx.Request, send: Send) -> httpx.Response:
    answer = send(request)
    answer.headers.pop("date", None)
    return answer


def verdict_on(bend: Variant | None = None, *, offset: float = 0.0, dated: bool = True) -> RequirementResult:
    """Return the result on the value of createdAt; its record gives it again."""
    wrap = {} if dated else {"wrap": around(without_date)}
    run = run_over(config(clock_offset=offset), bend, plan=PLAN, **wrap)
    assert differences(run) == []
    return row_of(run.report, "2.1-createdAt-value")


@pytest.mark.parametrize("hours", [-1, 0.02])
@pytest.mark.parametrize("dated", [True, False])
def test_a_clock_that_is_set_during_the_run_decides_nothing(
    monkeypatch: pytest.MonkeyPatch, hours: float, dated: bool
) -> None:
    set_during_the_run(monkeypatch, hours)

    found = verdict_on(dated=dated)

    assert (found.verdict, found.findings[0].blame) == (Verdict.INCONCLUSIVE, Blame.CONFIGURATION)
    assert "monotonic clock" in found.findings[0].message


@pytest.mark.parametrize("offset", [-1200.0, 40 * 86_400.0])
def test_a_date_header_that_agrees_with_created_at_contradicts_the_clock(offset: float) -> None:
    found = verdict_on(offset=offset)

    assert (found.verdict, found.findings[0].blame) == (Verdict.INCONCLUSIVE, Blame.CONFIGURATION)
    assert "the Date header of the service" in found.findings[0].message
    assert "the clock of this machine" in found.findings[0].message
