"""Something in front of a service refuses calls for a moment, now and then."""

from __future__ import annotations

from whole_runs import by_verdict, differences, run_over

from conformance.calibration.twins import TWINS
from conformance.model.verdict import Outcome, Verdict


def test_a_moment_of_refusals_accuses_nothing_and_is_recomputed() -> None:
    run = run_over(bend=TWINS["blocked-now-and-then"])

    assert by_verdict(run.report, Verdict.FAIL, Verdict.WARN) == {}
    assert run.report.outcome in (Outcome.CONFORMS, Outcome.INCONCLUSIVE)
    assert differences(run) == []
