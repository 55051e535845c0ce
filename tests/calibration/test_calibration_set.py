"""Each demand has a service that breaks it and is caught; no service that conforms, however odd, is ever failed."""

from __future__ import annotations

import os

import pytest
from whole_runs import USERS, run_over

from conformance.calibration.faults import FAULTS
from conformance.calibration.twins import TWINS
from conformance.model.requirements import catalogue
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Level, Outcome, Verdict
from conformance.reference.config import ReferenceConfig

pytestmark = pytest.mark.skipif(
    "DRSI_SELF_TEST_FOLLOWS" in os.environ, reason="The self-test that follows tries every fault and every twin."
)

ONE_EACH = {fault.requirement: name for name, fault in reversed(FAULTS.items())}
"""For each demand its first fault; that every demand has one is tested beside the catalogue."""

CONFIG = ReferenceConfig(users=USERS, seed=1)
BAD = (Verdict.FAIL, Verdict.WARN)


@pytest.mark.parametrize("requirement_id", [id for id in catalogue().rows if id in ONE_EACH])
def test_a_fault_is_caught(requirement_id: str) -> None:
    fault = FAULTS[ONE_EACH[requirement_id]]

    report = run_over(CONFIG, fault, account_is_empty=True).report

    found = {row.id: row for row in report.requirements}
    caught = found[requirement_id]
    assert caught.verdict is VERDICT_WHEN_BROKEN[caught.level], (fault.name, caught.findings)
    assert any(each.verdict is caught.verdict and each.exchanges for each in caught.findings)
    expected = {requirement_id, *fault.consequences}
    assert {row.id: row.findings for row in found.values() if row.verdict in BAD and row.id not in expected} == {}
    if caught.verdict is Verdict.FAIL:
        assert report.outcome is Outcome.DOES_NOT_CONFORM


@pytest.mark.parametrize("name", TWINS)
def test_a_conforming_service_is_not_failed(name: str) -> None:
    twin = TWINS[name]

    # With threads, as a run has them: what conforms does so however calls meet.
    report = run_over(CONFIG, twin, in_turn=False).report

    decided = [row for row in report.requirements if row.level is not Level.OPEN]
    found = {row.id: row for row in decided if row.verdict in (*BAD, Verdict.INCONCLUSIVE)}
    unexpected = {id: row for id, row in found.items() if row.verdict not in twin.acceptable.get(id, ())}
    assert {id: (row.verdict, [each.message for each in row.findings]) for id, row in unexpected.items()} == {}
    assert report.outcome is not Outcome.DOES_NOT_CONFORM
    assert report.alerts == twin.alerts
