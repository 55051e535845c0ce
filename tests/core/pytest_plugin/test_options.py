"""Options: those of pytest do with the checks what they do with every test; those of the plugin; Ctrl-C."""

from __future__ import annotations

import html
import json
import re
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
import report_samples as samples
from cli_services import (
    OTHER_TOKEN,
    PATIENCE,
    TOKEN,
    Gate,
    Started,
    names_in,
    refusing,
    report_of,
    served,
    slow_creation,
)
from gated import KEY, gated
from plain_pytest import Run, outcomes
from platforms import POSIX_SIGNALS

from conformance.calibration.faults import FAULTS
from conformance.model.verdict import Outcome
from conformance.pytest_plugin.runs import OwnRun
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service
from conformance.run.verify import verify

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


def test_an_option_that_stops_at_a_failure_changes_no_call(run_checks: Run) -> None:
    with served(Wrong) as service:
        check = (service.base_url, *CLAUSE, "--drsi-seed", "1")
        whole, stopped = run_checks(*check), run_checks(*check, "-x")
    calls = [re.findall(r"^(\d+) exchanges", each.out, re.MULTILINE) for each in (whole, stopped)]
    assert calls[0] == calls[1] != []
    assert "stopping after 1 failures" in stopped.out


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
        options = ("--disable-plugin-autoload", "-p", "conformance.pytest_plugin", "--pyargs", "conformance.checks")
        given = ("--drsi-base-url", service.base_url, "-k", "4.1-answers-200")
        with StartedPytest(folder, *options, *given, **TOKENS) as run:
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
    assert "Not green: " in result.out


def test_markers_of_the_user_apply_to_checks_and_fixtures_replace_none(run_checks: Run, folder: Path) -> None:
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = mine\npython_functions = check_*\n")
    (folder / "test_mine.py").write_text("def check_mine(service):\n    assert service == 'mine'\n")
    (folder / "conftest.py").write_text(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        f"    [item.add_marker('mine') for item in items if item.name in ({DELETION!r}, 'check_mine')]\n"
        "@pytest.fixture\n"
        "def service():\n"
        "    return 'mine'\n"
    )
    with served() as service:
        words = ("-m", "mine", "--rootdir", str(folder), "--confcutdir", str(folder), ".")
        result = run_checks(service.base_url, *words)
    assert result.code == 0, result.out
    assert "2 passed" in result.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--drsi-language-selector", "cookie"), "'--drsi-language-selector': Expected a language selector"),
        (("--drsi-evidence", "run"), "exclude each other"),
        (("--drsi-output", "pytest.ini/out"), "cannot be written"),
        (("--drsi-header", "Authorization: Basic eDp5"), "needs --drsi-profile public"),
        (("--drsi-base-url", ""), "add --drsi-base-url URL"),
        (("-n", "2", "-p", "xdist.plugin"), "Add -n 0"),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) else None,
)
def test_a_wrong_option_is_one_clear_message(run_checks: Run, options: tuple[str, ...], message: str) -> None:
    result = run_checks(refusing(), *options)
    assert result.code == pytest.ExitCode.USAGE_ERROR
    assert message in result.err
    assert "Traceback" not in result.err + result.out


def test_where_the_checks_cannot_begin_none_fails_and_advice_names_the_options_that_pytest_has(
    run_checks: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DRSI_TOKEN")
    monkeypatch.delenv("DRSI_OTHER_TOKEN")
    with served() as service:
        result = run_checks(service.base_url, "-k", "4.1-answers-200 or 4_4 or 4_5")

    assert result.code == pytest.ExitCode.TESTS_FAILED
    assert re.search(r"\d+ skipped, .*1 error", result.out.splitlines()[-1])
    assert "with --drsi-token-file or with --drsi-token-command; or use --drsi-profile public" in result.out
    assert "Log in with 'drsi-conformance login'" in result.out


def test_options_and_header_fields_reach_the_run(run_checks: Run, plain_pytest: Run, folder: Path) -> None:
    (folder / "keys").write_text(f"X-Api-Key: {KEY}\n", "utf-8")
    fields = ("--drsi-header=@keys", "--drsi-header=X-Stage: staging-2")
    options = ("--drsi-empty-account", "--drsi-language-selector", "none", "--drsi-seed", "7", "--drsi-output", "out")
    with gated() as gate:
        result = run_checks(gate.base_url, "-k", "4.4-answers-200", *fields, *options)
        assert (result.code, gate.service.refused, KEY in result.out) == (0, [], False), result.out
        (folder / "pytest.ini").write_text("[pytest]\ndrsi_header =\n  @keys\n  X-Stage: staging-2\n", "utf-8")
        assert run_checks(gate.base_url, "-k", "4.4-answers-200").code == 0
        assert gate.service.refused == []
    assert "out/report.html" in result.out
    assert names_in(folder / "out") == {"report.json", "evidence.har", "report.html", "summary.html", "junit.xml"}
    report = report_of(folder / "out")
    assert (report["seed"], report["outcome"]) == (7, "conforms-in-part")
    assert report["confirmations"] == ["empty-account", "no-language-selector"]
    assert report["run"]["options"]["header"] == ["X-Api-Key", "X-Stage"]
    assert [row["id"] for row in report["requirements"] if row["verdict"] == "pass"] == ["4.4-answers-200"]

    assert plain_pytest("--pyargs", "conformance.checks", "--drsi-evidence", "out", "-k", "4.4-answers-200").code == 0
    evidence = json.loads((folder / "out" / "evidence.har").read_bytes())
    assert verify(report, evidence).is_equal


def test_a_recommendation_is_a_warning_that_a_filter_turns_into_an_error(run_checks: Run) -> None:
    with served(FAULTS["ok-labelled-json"].service) as service:
        warned = run_checks(service.base_url, "-k", "4.3-media-type")
        failed = run_checks(
            service.base_url, "-k", "4.3-media-type", "-W", "error::conformance.pytest_plugin.RequirementWarning"
        )
    assert warned.code == 0, warned.out
    assert "RequirementWarning: 4.3-media-type (should)" in warned.out
    assert failed.code == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize(
    ("expires", "option", "code"), [("2999-12-31", "-rx", 0), ("2999-12-31", "--runxfail", 1), ("2020-01-01", "-rx", 1)]
)
def test_a_waived_failure_is_expected_until_its_waiver_expires(
    run_checks: Run, folder: Path, expires: str, option: str, code: int
) -> None:
    (folder / "waivers.toml").write_text(
        f'[[waiver]]\nrequirement = "4.3-answers-ok"\nreason = "since May"\nowner = "Team"\nexpires = {expires}\n'
    )
    with served(Wrong) as service:
        result = run_checks(service.base_url, "-k", "4.3-answers-ok", "--drsi-waivers", "waivers.toml", option)
    assert result.code == code, result.out
    assert ("1 xfailed" in result.out, "since May (Team, until 2999-12-31)" in result.out) == (not code, not code)
    late = "1 stale waiver fails the run: 4.3-answers-ok expired"
    assert (late in result.out) is (expires == "2020-01-01")


@pytest.mark.parametrize(
    ("outcome", "complete", "shows_less"),
    [
        (Outcome.INCONCLUSIVE, True, True),
        (Outcome.DOES_NOT_CONFORM, True, False),
        (Outcome.DOES_NOT_CONFORM, False, True),
    ],
)
def test_a_run_that_shows_less_than_it_seems_to_is_not_green(
    outcome: Outcome, complete: bool, shows_less: bool
) -> None:
    documents: Any = SimpleNamespace(shown=samples.report(outcome, complete=complete))
    assert OwnRun(documents).shows_less is shows_less


def test_a_recorded_run_is_judged_without_a_network(plain_pytest: Run, recorded: Path, folder: Path) -> None:
    offline = ("--pyargs", "conformance.checks", "--drsi-evidence", str(recorded))
    result = plain_pytest(*offline, "-k", "4.3-answers-ok", "--junitxml", "junit.xml")
    assert result.code == pytest.ExitCode.TESTS_FAILED
    assert "4.3-answers-ok (must): Deleting a request has the wrong status: 202 instead of 200" in result.out
    assert outcomes(folder / "junit.xml")[DELETION] == "failure"
    assert plain_pytest(*offline, "-k", "4.4-answers-200").code == 0
    left_out = plain_pytest(*offline, "-k", "4.1-answers-200", "-rs")
    assert left_out.code == pytest.ExitCode.TESTS_FAILED
    assert "The selection leaves" in left_out.out


def test_altered_evidence_is_refused(plain_pytest: Run, recorded: Path, folder: Path) -> None:
    for file in recorded.iterdir():
        (folder / file.name).write_bytes(file.read_bytes().replace(b" 202", b" 200").replace(b": 202,", b": 200,"))
    result = plain_pytest("--pyargs", "conformance.checks", "--drsi-evidence", ".", "-k", "4.4-answers-200")
    assert result.code == pytest.ExitCode.USAGE_ERROR
    assert "drsi-conformance verify" in result.err or "digest" in result.err
