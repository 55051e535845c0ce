"""The files of docs/ci: their shell lines run, and the files that they publish exist afterwards."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from installed_suite import install, program

FOLDER = Path(__file__).parents[1] / "docs" / "ci"
TEXTS = {file.name: file.read_text("utf-8") for file in FOLDER.iterdir()}
GITLAB = yaml.safe_load(TEXTS["gitlab-ci.yml"])["conformance"]
AZURE = yaml.safe_load(TEXTS["azure-pipelines.yml"])
GITHUB = yaml.safe_load(TEXTS["github-workflow.yml"])
SCRIPTS = {
    "gitlab": "set -e\n" + "\n".join(GITLAB["script"]),
    "jenkins": "set -e\n" + "\n".join(re.findall(r"^\s+sh '(.*)'$", TEXTS["Jenkinsfile"], re.MULTILINE)),
    "azure": "set -e\n" + "\n".join(step["bash"] for step in AZURE["steps"] if "bash" in step),
}
PUBLISHED = {
    "gitlab": list(GITLAB["artifacts"]["reports"].values()),
    "jenkins": re.findall(r"^\s+junit '(.*)'$", TEXTS["Jenkinsfile"], re.MULTILINE),
    "azure": [step["inputs"]["testResultsFiles"] for step in AZURE["steps"] if "task" in step],
}


def run(folder: Path, script: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """Run the lines with a python3 that makes a prepared virtual environment; return the options of `check` too."""
    given = install(folder / "programs")
    program(folder / "programs" / "python3", '#!/bin/sh\nmkdir "$3" && ln -s "${0%/*}" "$3/bin"\n')
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
    assert PUBLISHED[name]
    assert [file for file in PUBLISHED[name] if not (tmp_path / file).is_file()] == []


def test_the_service_cannot_give_commands_to_azure(tmp_path: Path) -> None:
    done, _ = run(tmp_path, SCRIPTS["azure"])
    assert "# #vso[task.setvariable variable=A]so" in done.stdout
    assert "##" not in done.stdout


def test_the_workflow_uses_inputs_that_the_action_has() -> None:
    action = yaml.safe_load((FOLDER.parents[1] / "action.yml").read_text("utf-8"))
    job = GITHUB["jobs"]["conformance"]
    checkout, step = job["steps"]
    assert checkout["uses"].startswith("actions/checkout@")
    assert set(step["with"]) <= set(action["inputs"])
    assert "--wait 60 --empty-account --account-is-for-testing --fail-on alerts" in step["with"]["arguments"]
    (port,) = job["services"]["service"]["ports"]
    assert step["with"]["base-url"] == f"http://localhost:{port.partition(':')[0]}"
    assert GITHUB["permissions"]["security-events"] == "write"
