"""A command of the tester completes a request: what holds for completed requests is decided."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from completed_by_hand import completed_by_hand
from platforms import POSIX_COMMANDS
from whole_runs import bent, config, differences, only, row_of, run_over

from conformance.http.commands import CompletionCommand
from conformance.model.verdict import Blame, Verdict
from conformance.run.conclusion import Run
from conformance.run.documents import Documents

pytestmark = POSIX_COMMANDS

LATE = ("2.1-completedAt-value", "3-deletes-completed", "8-completed-do-not-count")


def run_with(folder: Path, command: str, limit: int = 3) -> Run:
    service = bent(completed_by_hand(folder))
    completion = CompletionCommand(command)
    return run_over(config(max_requests=limit), service, plan=only(*LATE), in_turn=False, completion=completion)


def verdicts(run: Run) -> list[Verdict]:
    return [row_of(run.report, each).verdict for each in LATE]


def touching(folder: Path) -> str:
    return f"touch {shlex.quote(str(folder))}/{{requestId}}"


def test_the_three_requirements_on_completed_requests_pass(tmp_path: Path) -> None:
    run = run_with(tmp_path, touching(tmp_path))

    assert verdicts(run) == [Verdict.PASS] * 3
    assert len(list(tmp_path.iterdir())) == 1
    assert run.report.summary.left_behind == 0
    assert differences(run) == []
    assert len(list(tmp_path.iterdir())) == 1  # the verification ran no command
    assert "touch" not in json.dumps([Documents(run).data, Documents(run).evidence])


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("/no/such/program {requestId}", "--complete-command: the command "),
        ("sh -c 'kill -9 $$' {requestId}", "--complete-command: the command "),
        ("true {requestId}", "still in progress 10 s later"),
    ],
)
def test_a_command_that_fails_or_completes_nothing_is_a_configuration_finding(
    tmp_path: Path, command: str, said: str
) -> None:
    run = run_with(tmp_path, command)

    assert verdicts(run) == [Verdict.INCONCLUSIVE] * 3
    for finding in (row_of(run.report, each).findings[0] for each in LATE):
        assert said in finding.message
        assert (finding.blame, bool(finding.remedy)) == (Blame.CONFIGURATION, True)
    assert run.report.summary.left_behind == 0
    assert differences(run) == []
