"""A command of the tester that completes no request is not the fault of the service."""

from __future__ import annotations

import pytest
from platforms import POSIX_COMMANDS
from whole_runs import differences, only, row_of, run_over

from conformance.http.commands import CompletionCommand
from conformance.model.verdict import Blame, Verdict

pytestmark = POSIX_COMMANDS

LATE = ("2.1-completedAt-value", "3-deletes-completed", "8-completed-do-not-count")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("sh -c 'kill -9 $$' {requestId}", "--complete-command: the command "),
        ("true {requestId}", "still in progress 10 s later"),
    ],
)
def test_a_command_that_fails_or_completes_nothing_is_a_configuration_finding(command: str, said: str) -> None:
    run = run_over(plan=only(*LATE), in_turn=False, completion=CompletionCommand(command))

    rows = [row_of(run.report, each) for each in LATE]
    assert [row.verdict for row in rows] == [Verdict.INCONCLUSIVE] * 3
    for finding in (row.findings[0] for row in rows):
        assert said in finding.message
        assert (finding.blame, bool(finding.remedy)) == (Blame.CONFIGURATION, True)
    assert run.report.summary.left_behind == 0
    assert differences(run) == []
