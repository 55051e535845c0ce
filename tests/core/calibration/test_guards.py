"""Each guard saves a conforming service that the suite accuses without it."""

from __future__ import annotations

import pytest

from conformance.calibration.judgement import Mark, judge_trial
from conformance.calibration.run_one import Job, Kind, attempt
from conformance.judge.guards import GUARDS


@pytest.mark.parametrize("name", sorted(GUARDS))
def test_without_a_guard_the_service_that_it_saves_is_accused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(kind=Kind.TWIN, name=GUARDS[name].saves)
    assert judge_trial(attempt(job)).mark is Mark.ACCEPTED

    monkeypatch.delitem(GUARDS, name)

    assert judge_trial(attempt(job)).mark is Mark.FAILED
