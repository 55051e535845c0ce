"""The options that users of pytest know do with the checks what they do with every test; Ctrl-C leaves nothing."""

from __future__ import annotations

import html
import json
import re
import signal
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cli_services import OTHER_TOKEN, PATIENCE, TOKEN, Gate, Started, served, slow_creation
from plain_pytest import Run, calls, limit_in_the_sequences, outcomes
from platforms import POSIX_SIGNALS

from conformance.calibration.faults import FAULTS
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

DELETION = "test_row[4.3-answers-ok]"
CLAUSE = ("-k", "4.3-")
TOKENS = {"DRSI_TOKEN": TOKEN, "DRSI_OTHER_TOKEN": OTHER_TOKEN}
HOSTILE = "</td></script><img src=x onerror=alert(1)>\x1b[31m\u202e"
Wrong = FAULTS["delete-answers-202"].service


class Hostile(Service):
    """Sends markup and control characters, and the token that it received."""

    def settings(self, call: Call) -> Any:
        return {**super().settings(call), "organisationName": 1, "oAuthUrl": HOSTILE}

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        reply.headers["x-banner"] = "<img src=x onerror=alert(3)>"
        reply.headers["x-token"] = TOKEN
        return reply


def test_a_failure_names_requirement_basis_finding_fix_and_calls_and_no_token(run_checks: Run, folder: Path) -> None:
    with served(Wrong) as service:
        result = run_checks(service.base_url, *CLAUSE, "--showlocals", "-rs", "--junitxml", "junit.xml")
        assert service.live == 0
    assert result.code == pytest.ExitCode.TESTS_FAILED
    for part in (
        "4.3-answers-ok (must): Deleting a request has the wrong status",
        "basis: Stated in 4.3, paragraph 1",
        "expected: status 200",
        "actual: status 202",
        "fix: Answer 200 instead of 202",
        f'curl -i -X DELETE -H "Authorization: Bearer $DRSI_TOKEN" {service.base_url}/requests/',
        "4.3-media-type is inconclusive: DELETE /requests/",
    ):
        assert part in result.out, result.out
    assert TOKEN not in result.out + result.err

    assert outcomes(folder / "junit.xml")[DELETION] == "failure"
    cases = ElementTree.parse(folder / "junit.xml").iter("testcase")
    case = next(each for each in cases if each.attrib["name"] == DELETION)
    named = {each.attrib["name"]: each.attrib["value"] for each in case.iter("property")}
    assert (named["requirement"], named["level"], named["verdict"]) == ("4.3-answers-ok", "must", "fail")
    assert named["expected"] == "status 200"
    assert named["fix"]


def test_the_page_of_pytest_html_shows_the_finding_and_nothing_of_the_service_is_alive(
    run_checks: Run, folder: Path
) -> None:
    with served(Hostile) as service:
        run_checks(service.base_url, "-k", "2.3- or 4.3-answers-ok", "--html", "page.html", "--self-contained-html")
    page = (folder / "page.html").read_text("utf-8")
    blob = re.search(r'data-jsonblob="([^"]*)"', page)
    assert blob
    runs = [run for runs in json.loads(html.unescape(blob[1]))["tests"].values() for run in runs]
    text = json.dumps(runs)
    assert "2.3-organisationName (must)" in text
    assert "Stated in 4.3" in text
    assert any(extra["name"] == "exchanges" for run in runs for extra in run["extras"])
    assert "<img src=x" not in page + "".join(run["log"] for run in runs)
    assert not {"\x1b", "\u202e"} & set(page)
    assert TOKEN not in page


def test_one_check_makes_few_calls_and_leaves_nothing(run_checks: Run, plain_pytest: Run) -> None:
    assert "4.3-answers-ok" in plain_pytest("--pyargs", "conformance.checks", "--collect-only", "-q").out
    with served() as service:
        result = run_checks(service.base_url, "-k", "4.3-answers-ok", "-m", "must", "-v")
        assert service.live == 0
    assert result.code == 0, result.out
    assert re.search(rf"test_rows.py::{re.escape(DELETION)} PASSED", result.out)
    assert "1 passed" in result.out
    assert calls(result) <= 20
    assert "A whole run may find more" in result.out


@POSIX_SIGNALS
def test_a_time_limit_inside_generated_sequences_ends_one_test(run_checks: Run, folder: Path) -> None:
    with served() as service, limit_in_the_sequences():
        result = run_checks(service.base_url, "-k", "test_no_sequence_shows", "--junitxml", "junit.xml")

    assert result.code == pytest.ExitCode.TESTS_FAILED
    found = Counter(outcomes(folder / "junit.xml").values())
    assert found.pop("error") == 1
    assert {*found} <= {"skipped"}
    assert "Timeout (>1.0s)" in result.out
    assert "crashed" not in result.out


def test_options_that_stop_at_a_failure_or_begin_with_it_change_no_call(run_checks: Run) -> None:
    with served(Wrong) as service:
        check = (service.base_url, *CLAUSE, "--drsi-seed", "1")
        whole, stopped = run_checks(*check), run_checks(*check, "-x")
        again, first = run_checks(*check, "--lf"), run_checks(*check, "--ff", "-v")
    assert "stopping after 1 failures" in stopped.out
    assert calls(stopped) == calls(whole)
    assert "1 failed" in again.out
    assert re.search(rf"{re.escape(DELETION)} FAILED", first.out)


class StartedPytest(Started):
    """pytest in a process of its own, as a person starts it."""

    program = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


@POSIX_SIGNALS
def test_a_creation_under_way_is_waited_for_after_ctrl_c_and_deleted(folder: Path) -> None:
    gate = Gate()
    with served(slow_creation(gate, 1)) as service:
        options = ("-p", "conformance.pytest_plugin", "--pyargs", "conformance.checks", "--drsi-base-url")
        with StartedPytest(folder, *options, service.base_url, "-k", "4.1-answers-200", **TOKENS) as run:
            assert gate.reached.wait(PATIENCE)
            run.process.send_signal(signal.SIGINT)
            run.awaits("Interrupted: no new requests", "out")
            assert run.process.poll() is None
            gate.open.set()
            assert run.ended() == pytest.ExitCode.INTERRUPTED, run.out + run.err
        assert service.live == 0
    assert "KeyboardInterrupt" in run.out
    assert ", 0 left behind." in run.out


def test_a_check_that_crashes_leaves_nothing(run_checks: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise ZeroDivisionError("a fault of the suite")

    monkeypatch.setattr("conformance.scenarios.api.Api.delete", crash)
    with served() as service:
        result = run_checks(service.base_url, "-k", "test_row and 4.3-answers-ok")
        assert service.live == 0
    assert result.code == pytest.ExitCode.TESTS_FAILED
    assert "ZeroDivisionError: a fault of the suite" in result.out


def test_hooks_and_markers_of_the_user_apply_to_checks_and_fixtures_replace_none(run_checks: Run, folder: Path) -> None:
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = mine\npython_functions = check_*\n")
    (folder / "test_mine.py").write_text("def check_mine(service):\n    assert service == 'mine'\n")
    (folder / "conftest.py").write_text(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        f"    [item.add_marker('mine') for item in items if item.name in ({DELETION!r}, 'check_mine')]\n"
        "def pytest_terminal_summary(terminalreporter):\n"
        "    for report in terminalreporter.stats['passed']:\n"
        "        terminalreporter.line(f'reported {dict(report.user_properties).get(\"requirement\")}')\n"
        "@pytest.fixture(autouse=True)\n"
        "def around(request):\n"
        "    print('around', request.node.name)\n"
        "@pytest.fixture\n"
        "def service():\n"
        "    return 'mine'\n"
    )
    with served() as service:
        words = ("-m", "mine", "-s", "--rootdir", str(folder), "--confcutdir", str(folder), ".")
        result = run_checks(service.base_url, *words)
    assert result.code == 0, result.out
    assert "2 passed" in result.out
    assert f"around {DELETION}" in result.out
    assert "reported 4.3-answers-ok" in result.out
