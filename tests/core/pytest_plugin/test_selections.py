"""Plain pytest: its own options select checks, and only what these need is called."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli_services import served
from plain_pytest import Run, calls

from conformance.calibration.faults import FAULTS


def test_one_check_makes_few_calls_and_leaves_nothing(run_checks: Run) -> None:
    with served() as service:
        result = run_checks(service.base_url, "-k", "test_row and 4.3-answers-ok")
        assert service.live == 0
    assert result.code == 0, result.out
    assert "1 passed" in result.out
    assert calls(result) <= 20
    assert re.search(r"^1 of \d+ checks ran: a whole run may find more", result.out, re.MULTILINE)


def test_an_option_that_stops_at_the_first_failure_changes_no_call(run_checks: Run) -> None:
    with served(FAULTS["delete-answers-204"].service) as service:
        whole = run_checks(service.base_url, "-k", "4.3-", "--drsi-seed", "1")
        stopped = run_checks(service.base_url, "-k", "4.3-", "--drsi-seed", "1", "-x")
    assert "stopping after 1 failures" in stopped.out
    assert calls(stopped) == calls(whole)


def test_a_keyword_names_a_requirement_and_a_marker_a_level(run_checks: Run) -> None:
    with served() as service:
        result = run_checks(service.base_url, "--collect-only", "-q", "-k", "4.3-answers-ok", "-m", "must")
        assert "test_rows.py::test_row[4.3-answers-ok]" in result.out
        assert "test_4_4" not in result.out
        assert service.live == 0


def test_checks_need_a_service(plain_pytest: Run) -> None:
    result = plain_pytest("--pyargs", "conformance.checks")
    assert result.code == pytest.ExitCode.USAGE_ERROR
    assert "add --drsi-base-url URL" in result.err


def test_a_fixture_of_the_user_replaces_none_of_a_check(run_checks: Run, folder: Path) -> None:
    (folder / "conftest.py").write_text("import pytest\n@pytest.fixture\ndef service():\n    return 'mine'\n")
    (folder / "test_mine.py").write_text("def test_mine(service):\n    assert service == 'mine'\n")
    with served(FAULTS["delete-answers-202"].service) as service:
        result = run_checks(service.base_url, "test_mine.py", "-k", "test_mine or (test_row and 4.3-answers-ok)")
    assert "1 failed, 1 passed" in result.out, result.out
