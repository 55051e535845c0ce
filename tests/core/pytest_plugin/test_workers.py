"""The checks in the user's own tests, under pytest-xdist with two workers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_services import report_of
from plain_pytest import outcomes

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
TESTS = """
from conformance.pytest_plugin import Requirements

class TestInterface(Requirements):
    {body}

def test_of_the_user():
    pass
"""
SETTINGS = """
[pytest]
addopts = --drsi-other-token token-of-bob
drsi_token = token-of-alice
drsi_empty_account = true
drsi_language_selector = none
"""
WORKERS = ("--disable-plugin-autoload", "-p", "xdist", "-n", "2", "-p", "conformance.pytest_plugin")


def two_workers(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "pytest", *WORKERS, *arguments, "--junitxml", "junit.xml"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, encoding="utf-8")


def test_each_worker_runs_the_checks_on_the_application_that_it_serves(folder: Path) -> None:
    shutil.copy(EXAMPLES / "flask" / "service.py", folder)
    (folder / "pytest.ini").write_text(f"{SETTINGS}drsi_app = service:app\ndrsi_output = out\n", "utf-8")
    (folder / "test_interface.py").write_text(TESTS.format(body="pass"), "utf-8")
    done = two_workers(folder, "-k", "2.3-legalEntity or 4.4-object")

    assert done.returncode == 0, done.stdout + done.stderr
    assert outcomes(folder / "junit.xml") == {
        f"test_requirement[{id}]": "passed" for id in ("2.3-legalEntity", "4.4-object")
    }
    made = sorted((folder / "out").glob("gw*"))
    assert made
    assert all(report_of(each)["complete"] for each in made)


@pytest.mark.parametrize(
    ("body", "settings", "words"),
    [
        ("pass", "drsi_base_url = http://127.0.0.1:9", "several processes of pytest-xdist"),
        ("drsi_base_url = 'http://127.0.0.1:9'", "", "several processes of pytest-xdist"),
        ("drsi_app = 'service:app'", "drsi_waivers = waivers.toml", "reason is empty"),
    ],
)
def test_what_no_worker_can_begin_with_is_said_once(folder: Path, body: str, settings: str, words: str) -> None:
    waiver = '[[waiver]]\nrequirement = "2.3-legalEntity"\nreason = ""\nowner = "A. Person"\nexpires = 2099-01-01\n'
    (folder / "waivers.toml").write_text(waiver, "utf-8")
    (folder / "pytest.ini").write_text(SETTINGS + settings, "utf-8")
    (folder / "test_interface.py").write_text(TESTS.format(body=body), "utf-8")
    done = two_workers(folder, "--no-summary")

    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    assert "INTERNALERROR" not in done.stdout
    found = outcomes(folder / "junit.xml")
    assert found.pop("test_of_the_user") == "passed"
    assert list(found.values()) == ["error"]
    assert words in (folder / "junit.xml").read_text("utf-8")
