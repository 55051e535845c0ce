"""A document beyond the suite's limit of values: it is not read, and its service is accused of nothing."""

from __future__ import annotations

from typing import Any

from whole_runs import bent, differences, only, row_of, run_over

from conformance.model.strict_json import MAX_VALUES
from conformance.model.verdict import Blame, Verdict
from conformance.reference.call import Call
from conformance.reference.service import Service

ROWS = ("2.3-legalEntity", "4.4-object")


class Crowded(Service):
    """Adds a list of numbers to its settings; unknown fields are allowed."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"numbers": [0] * MAX_VALUES}


def test_what_is_not_read_is_undecided_by_the_limit_of_the_suite() -> None:
    run = run_over(bend=bent(Crowded), plan=only(*ROWS))

    rows = [row_of(run.report, each) for each in ROWS]
    assert [row.verdict for row in rows] == [Verdict.INCONCLUSIVE] * len(ROWS)
    assert {row.findings[0].blame for row in rows} == {Blame.SUITE}
    assert all(f"{MAX_VALUES:,}" in row.findings[0].message for row in rows)
    assert run.report.summary.verdicts[Verdict.FAIL] == 0
    assert differences(run) == []
