"""Each guard saves a conforming service that the suite accuses without it."""

from __future__ import annotations

import pytest

from conformance.calibration.judgement import Mark, judge_trial
from conformance.calibration.run_one import Job, Kind, attempt
from conformance.judge.guards import GUARDS

SAVED = {401: "one-token-expires", 403: "create-wants-another-scope"}
"""By the status that a guard explains, the conforming service that it saves."""


@pytest.mark.parametrize("status", GUARDS)
def test_without_a_guard_the_service_that_it_saves_is_accused(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(kind=Kind.TWIN, name=SAVED[status])
    assert judge_trial(attempt(job)).mark is Mark.ACCEPTED

    monkeypatch.delitem(GUARDS, status)

    assert judge_trial(attempt(job)).mark is Mark.FAILED
