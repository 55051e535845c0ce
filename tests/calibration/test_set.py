"""A sample of the twins passes with real threads; the self-test tries all of them with one call after another."""

from __future__ import annotations

import pytest
from whole_runs import USERS, run_over

from conformance.calibration.twins import TWINS
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level, Outcome, Verdict
from conformance.reference.config import ReferenceConfig

UNWANTED = (Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE)


@pytest.mark.parametrize("name", list(TWINS)[::8])
def test_a_conforming_service_is_not_failed(name: str) -> None:
    twin = TWINS[name]

    report = run_over(ReferenceConfig(users=USERS, seed=1), twin, in_turn=False).report

    found = {row.id: row for row in report.requirements if catalogue()[row.id].level is not Level.OPEN}
    unexpected = {
        id: (row.verdict, [each.message for each in row.findings])
        for id, row in found.items()
        if row.verdict in UNWANTED and row.verdict not in twin.acceptable.get(id, ())
    }
    assert unexpected == {}
    assert report.outcome is not Outcome.DOES_NOT_CONFORM
    assert report.alerts == twin.alerts
