"""The options of the plugin: credentials, confirmations, budgets, waivers, output, a recorded run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import report_samples as samples
from cli_services import answering, listening, names_in, refusing, report_of, served
from gated import KEY, gated
from older_set import ID, Misspelt, add_older_set
from plain_pytest import Run, outcomes

from conformance.calibration.faults import FAULTS
from conformance.model.report import Report
from conformance.model.verdict import Outcome
from conformance.pytest_plugin.runs import OwnRun
from conformance.run.verify import verify

DELETION = "test_row[4.3-answers-ok]"
Wrong = FAULTS["delete-answers-202"].service


def test_a_service_that_is_not_reached_under_its_name_fails_no_check(run_checks: Run) -> None:
    page = answering(lambda _path: (400, {"content-type": "text/html"}, b"<h2>Bad Request - Invalid Hostname</h2>"))
    with listening(page) as origin:
        result = run_checks(origin, "-k", "4_4 or 4_5", "-rs")

    assert result.code == pytest.ExitCode.TESTS_FAILED
    assert re.search(r"\d+ skipped, .*1 error", result.out.splitlines()[-1])
    assert "The checks cannot begin: Neither" in result.out or "Invalid Hostname" in result.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--drsi-max-created", "-1"), "'--drsi-max-created': -1 is not in the range 0<=x<=1000000"),
        (("--drsi-max-time", "nan"), "'--drsi-max-time': 'nan' is not a number"),
        (("--drsi-language-selector", "cookie"), "'--drsi-language-selector': Expected a language selector"),
        (("--drsi-evidence", "run"), "exclude each other"),
        (("--drsi-set", "2024-1"), "'--drsi-set': No set of requirements is called '2024-1'. Sets: 2026-1."),
        (("--drsi-waivers", "none.toml"), "none.toml cannot be read"),
        (("--drsi-ca-file", "none.pem"), "none.pem"),
        (("--drsi-output", "pytest.ini/out"), "cannot be written"),
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


def test_options_and_header_fields_reach_the_run(run_checks: Run, plain_pytest: Run, folder: Path) -> None:
    (folder / "keys").write_text(f"X-Api-Key: {KEY}\n", "utf-8")
    fields = ("--drsi-header=@keys", "--drsi-header=X-Stage: staging-2")
    options = ("--drsi-empty-account", "--drsi-language-selector", "none", "--drsi-seed", "7", "--drsi-output", "out")
    with gated() as gate:
        result = run_checks(gate.base_url, "-k", "4.4-answers-200", *fields, *options)
        assert (result.code, gate.refused, KEY in result.out) == (0, [], False), result.out
        (folder / "pytest.ini").write_text("[pytest]\ndrsi_header =\n  @keys\n  X-Stage: staging-2\n", "utf-8")
        assert run_checks(gate.base_url, "-k", "4.4-answers-200").code == 0
        assert gate.refused == []
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


LESS: dict[str, tuple[Report, bool]] = {
    "an undecided must": (samples.report(Outcome.INCONCLUSIVE), True),
    "a violation": (samples.report(), False),
    "no end": (samples.report(complete=False), True),
}


@pytest.mark.parametrize("case", LESS)
def test_a_run_that_shows_less_than_it_seems_to_is_not_green(case: str) -> None:
    report, shows_less = LESS[case]
    documents: Any = SimpleNamespace(shown=report)
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


def test_a_check_of_an_unscored_requirement_is_skipped(run_checks: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    add_older_set(monkeypatch, ID)
    with served(Misspelt) as service:
        older = run_checks(service.base_url, "-k", f"{ID} or 4.4-object", "--drsi-set", "2025-1", "-rs")

    assert older.code == 0, older.out
    assert f"{ID} is unscored (fail)" in older.out
    assert "Set 2025-1: 157 requirements scored; 1 is unscored" in older.out
