"""The exhibit of a failure: the call that differs least from an ordinary valid one."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from whole_runs import only, row_of, run_over

from conformance.calibration.faults import FAULTS
from conformance.model.deviations import deviations
from conformance.model.exchange import Operation, header
from conformance.model.verdict import Verdict


@pytest.mark.parametrize(
    ("fault", "requirement", "odd"),
    [
        ("create-with-bad-token-answers-422", "5.3-create-with-bad-token", "unfinished"),
        ("deleted-still-readable", "3-removed", "text/html"),
    ],
)
def test_the_exhibit_is_the_plainest_call_of_those_that_show_a_failure(fault: str, requirement: str, odd: str) -> None:
    run = run_over(bend=FAULTS[fault], plan=only(requirement.partition("-")[0]))
    row = row_of(run.report, requirement)
    calls = {each.id: each for each in run.exchanges}
    shown = [calls[each] for finding in row.findings for each in finding.exchanges]
    exhibit = shown[0]
    assert deviations(exhibit) == min(map(deviations, shown)) < max(map(deviations, shown))
    first = [deviations(calls[each]) for each in row.findings[0].exchanges]
    assert first == sorted(first), "views show the first few"
    assert "html" not in str(header(exhibit.request.headers, "accept"))
    assert odd not in f"{row.findings[0].message} {row.findings[0].curl}"


@pytest.mark.parametrize(
    ("fault", "requirement"),
    [
        ("no-limit", "8-limit-enforced"),
        ("place-never-freed", "3-frees-the-limit"),
    ],
)
def test_a_finding_on_the_limit_names_what_published_it_and_each_reading_that_it_counts(
    fault: str, requirement: str
) -> None:
    run = run_over(bend=FAULTS[fault], plan=only(requirement), in_turn=False, account_is_empty=True)
    finding = next(each for each in row_of(run.report, requirement).findings if not each.steps)

    assert finding.verdict is Verdict.FAIL
    calls = {each.id: each for each in run.exchanges}
    shown = Counter(calls[each].operation for each in finding.exchanges)
    assert shown[Operation.SETTINGS] == 1
    counted = re.match(r"(\d+) requests read as in progress", finding.actual)
    assert counted is None or shown[Operation.READ] >= int(counted[1])
