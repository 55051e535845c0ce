"""The files of docs/ci: their shell lines run, and the files that they publish exist afterwards."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
import yaml
from installed_suite import install, program
from platforms import POSIX_COMMANDS

from conformance.reports import files

pytestmark = POSIX_COMMANDS

FOLDER = Path(__file__).parents[2] / "docs" / "ci"
TEXTS = {file.name: file.read_text("utf-8") for file in FOLDER.iterdir() if file.is_file()}
GITLAB = yaml.safe_load(TEXTS["gitlab-ci.yml"])["conformance"]
AZURE = yaml.safe_load(TEXTS["azure-pipelines.yml"])
GITHUB = yaml.safe_load(TEXTS["github-workflow.yml"])
SCRIPTS = {
    "gitlab": "set -e\n" + "\n".join(GITLAB["script"]),
    "jenkins": "set -e\n" + "\n".join(re.findall(r"^\s+sh '(.*)'$", TEXTS["Jenkinsfile"], re.MULTILINE)),
    "azure": "set -e\n" + "\n".join(step["bash"] for step in AZURE["steps"] if "bash" in step),
}
NIGHTLY = yaml.safe_load(TEXTS["github-schedule.yml"])["jobs"]["conformance"]["steps"]
PUBLISHED = {
    "gitlab": list(GITLAB["artifacts"]["reports"].values()),
    "jenkins": re.findall(r"^\s+junit '(.*)'$", TEXTS["Jenkinsfile"], re.MULTILINE),
    "azure": [step["inputs"]["testResultsFiles"] for step in AZURE["steps"] if "task" in step],
}


def run(folder: Path, script: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """Run the lines with a python3 that makes a prepared virtual environment; return the options of `check` too."""
    given = install(folder / "programs")
    (folder / "drsi-conformance.toml").touch()
    program(folder / "programs" / "python3", '#!/bin/sh\nmkdir "$4" && ln -s "${0%/*}" "$4/bin"\n')
    path = f"{folder / 'programs'}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "BASE_URL": "https://service.example", "SUITE": "the suite"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done, json.loads(given.read_text("utf-8"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_job_fails_as_the_command_does_and_publishes_what_it_wrote(tmp_path: Path, name: str) -> None:
    done, given = run(tmp_path, SCRIPTS[name])

    assert (done.returncode, done.stderr) == (1, "")
    assert (given["fail_on"], given["wait"]) == (["alerts"], 60)
    assert (given["empty_account"], given["account_is_for_testing"]) == (True, True)
    assert given["config"] == "drsi-conformance.toml"  # a file that is only found would not count
    assert PUBLISHED[name]
    assert [file for file in PUBLISHED[name] if not (tmp_path / file).is_file()] == []
    if name == "azure":  # whose runner takes lines of the service for commands
        assert "# #vso[task.setvariable variable=A]so" in done.stdout
        assert "##" not in done.stdout


def test_the_workflow_uses_inputs_that_the_action_has() -> None:
    action = yaml.safe_load((FOLDER.parents[1] / "action.yml").read_text("utf-8"))
    job = GITHUB["jobs"]["conformance"]
    checkout, step, comment = job["steps"]
    assert checkout["uses"].startswith("actions/checkout@")
    assert comment["run"].count("drsi-conformance-report/github.md") == 2
    assert action["inputs"]["output"]["default"] == "drsi-conformance-report"
    assert set(step["with"]) <= set(action["inputs"])
    assert "--wait 60 --empty-account --account-is-for-testing --fail-on alerts" in step["with"]["arguments"]
    (port,) = job["services"]["service"]["ports"]
    assert step["with"]["base-url"] == f"http://localhost:{port.partition(':')[0]}"
    assert step["with"]["config"] == "drsi-conformance.toml"
    assert GITHUB["permissions"]["security-events"] == "write"


@pytest.fixture
def night(tmp_path: Path) -> Path:
    """A folder with a gh that writes down how it was called, and knows the open issues that the file `open` names."""
    install(tmp_path / "temp" / "drsi-conformance" / "bin")
    (tmp_path / "programs").mkdir()
    program(tmp_path / "programs" / "gh", '#!/bin/sh\n[ "$2" = list ] && cat open && exit\necho "$@" >> called\n')
    (tmp_path / "open").write_text("")
    return tmp_path


def compared(folder: Path) -> tuple[int, list[str]]:
    """Run the last step of the nightly workflow; return its exit code and the calls of gh."""
    environment = {
        "PATH": f"{folder / 'programs'}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(folder / "temp"),
        "GITHUB_REPOSITORY": "someone/service",
    }
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", NIGHTLY[-1]["run"]]
    done = subprocess.run(script, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    called = folder / "called"
    return done.returncode, called.read_text().splitlines() if called.exists() else []


def better(report: dict[str, Any]) -> dict[str, Any]:
    """Return the report before a requirement got worse."""
    for row in report["requirements"]:
        if row["id"] == "1.4-every-parameter":
            row |= {"verdict": "pass", "findings": []}
    return report


def test_what_got_worse_becomes_an_issue_and_then_a_comment(night: Path) -> None:
    assert compared(night) == (1, [])  # a night without a report
    files.write(night / "tonight", samples.eventful(), samples.evidence(), ())
    assert compared(night) == (0, [])  # the first one
    files.write(night / "before", samples.eventful(), samples.evidence(), ())
    assert compared(night) == (0, [])

    files.write(night / "before", better(samples.eventful()), samples.evidence(), ())
    code, (called,) = compared(night)
    assert (code, called.startswith("issue create --repo someone/service --title The service conforms")) == (0, True)
    assert "1.4-every-parameter" in (night / "worse.md").read_text("utf-8")
    (night / "open").write_text("7")
    assert compared(night)[1][1:] == ["issue comment 7 --repo someone/service --body-file worse.md"]


def test_the_nightly_workflow_uses_what_the_action_has_and_what_it_installs() -> None:
    action = yaml.safe_load((FOLDER.parents[1] / "action.yml").read_text("utf-8"))
    assert NIGHTLY[0]["uses"].startswith("actions/checkout@")
    used = NIGHTLY[2]["with"]
    assert set(used) <= set(action["inputs"])
    assert used["config"] == "drsi-conformance.toml"
    assert f"{used['output']}/report.json" in NIGHTLY[-1]["run"]
    assert f"--name {used['artifact']} --dir before" in NIGHTLY[1]["run"]
    (installs,) = [step["run"] for step in action["runs"]["steps"] if step.get("name") == "Install the suite"]
    assert '"$RUNNER_TEMP/drsi-conformance"' in installs
    assert '"$RUNNER_TEMP/drsi-conformance/bin/drsi-conformance"' in NIGHTLY[-1]["run"]
