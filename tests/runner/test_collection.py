from __future__ import annotations

from whole_runs import run_over

from conformance.model.requirements import all_testable
from conformance.runner.collection import decidable
from conformance.runner.run import Plan


def test_what_a_profile_decides_is_what_its_runs_do_not_leave_out() -> None:
    assert all_testable() <= decidable(public=False)
    left_out = set(run_over(plan=Plan(profile="public")).report.scope.left_out)
    assert all_testable() - decidable(public=True) == left_out
