"""What runs in CI: the files of docs/ci, the steps of action.yml, and the workflows of the repository."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
import yaml
from composite_action import ACTION, STEPS, Step
from installed_suite import bash, install, program
from platforms import POSIX_COMMANDS

from conformance import __version__
from conformance.reports import files

pytestmark = POSIX_COMMANDS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "ci"
TEXTS = {file.name: file.read_text("utf-8") for file in FOLDER.iterdir() if file.is_file()}
GITLAB = yaml.safe_load(TEXTS["gitlab-ci.yml"])["conformance"]
AZURE = yaml.safe_load(TEXTS["azure-pipelines.yml"])
GITHUB = yaml.safe_load(TEXTS["github-workflow.yml"])
SCRIPTS = {
    "gitlab": "\n".join(GITLAB["script"]),
    "jenkins": "\n".join(re.findall(r"^\s+sh '(.*)'$", TEXTS["Jenkinsfile"], re.MULTILINE)),
    "azure": "\n".join(step["bash"] for step in AZURE["steps"] if "bash" in step),
}
NIGHTLY = yaml.safe_load(TEXTS["github-schedule.yml"])["jobs"]["conformance"]["steps"]
PUBLISHED = {
    "gitlab": list(GITLAB["artifacts"]["reports"].values()),
    "jenkins": re.findall(r"^\s+junit '(.*)'$", TEXTS["Jenkinsfile"], re.MULTILINE),
    "azure": [step["inputs"]["testResultsFiles"] for step in AZURE["steps"] if "task" in step],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_job_fails_as_the_command_does_and_publishes_what_it_wrote(tmp_path: Path, name: str) -> None:
    """A python3 makes a prepared virtual environment."""
    options = install(tmp_path / "programs")
    (tmp_path / "drsi-conformance.toml").touch()
    program(tmp_path / "programs" / "python3", '#!/bin/sh\nmkdir "$4" && ln -s "${0%/*}" "$4/bin"\n')

    done = bash(tmp_path, SCRIPTS[name], BASE_URL="https://service.example", SUITE="the suite")

    assert (done.returncode, done.stderr) == (1, "")
    given = json.loads(options.read_text("utf-8"))
    assert (given["fail_on"], given["wait"]) == (["alerts"], 60)
    assert (given["empty_account"], given["account_is_for_testing"]) == (True, True)
    assert given["config"] == "drsi-conformance.toml"  # a file that is only found would not count
    assert PUBLISHED[name]
    assert [file for file in PUBLISHED[name] if not (tmp_path / file).is_file()] == []
    if name == "azure":  # whose runner takes lines of the service for commands
        assert "# #vso[task.setvariable variable=A]so" in done.stdout
        assert "##" not in done.stdout


def test_the_workflow_uses_inputs_that_the_action_has() -> None:
    job = GITHUB["jobs"]["conformance"]
    checkout, step, comment = job["steps"]
    assert checkout["uses"].startswith("actions/checkout@")
    assert comment["run"].count("drsi-conformance-report/github.md") == 2
    assert ACTION["inputs"]["output"]["default"] == "drsi-conformance-report"
    assert set(step["with"]) <= set(ACTION["inputs"])
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
    environment = {"RUNNER_TEMP": str(folder / "temp"), "GITHUB_REPOSITORY": "someone/service"}
    done = bash(folder, NIGHTLY[-1]["run"], **environment)
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
    assert NIGHTLY[0]["uses"].startswith("actions/checkout@")
    used = NIGHTLY[2]["with"]
    assert set(used) <= set(ACTION["inputs"])
    assert used["config"] == "drsi-conformance.toml"
    assert f"{used['output']}/report.json" in NIGHTLY[-1]["run"]
    assert f"--name {used['artifact']} --dir before" in NIGHTLY[1]["run"]
    installs = STEPS["Install the suite"]["run"]
    assert '"$RUNNER_TEMP/drsi-conformance"' in installs
    assert '"$RUNNER_TEMP/drsi-conformance/bin/drsi-conformance"' in NIGHTLY[-1]["run"]


URL = "https://service.example/api"


@pytest.fixture
def given(tmp_path: Path) -> Path:
    return install(tmp_path / "temp" / "drsi-conformance" / "bin")


def check(folder: Path, **inputs: str) -> Step:
    return Step(folder, "Check the service", {"base-url": URL} | inputs)


def test_the_result_becomes_outputs_summary_and_annotations(tmp_path: Path, given: Path) -> None:
    """A pull request may add a shlex.py: Python imports from the working directory first, and the step has tokens."""
    for name in ("json", "os", "secrets", "shlex"):
        (tmp_path / f"{name}.py").write_text("open('executed', 'w').close()\nraise SystemExit\n", "utf-8")
    (tmp_path / "drsi-conformance.toml").write_text("strict = true\n", "utf-8")
    step = check(tmp_path, profile="public", sarif="true", output="out", config="drsi-conformance.toml")

    assert (step.done.returncode, step.done.stderr) == (1, "")
    assert step.outputs == {"exit-code": "1", "outcome": "does-not-conform"}
    assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text("utf-8").startswith("## DRSI conformance: Does not conform")
    assert any(line.startswith("::error title=Fail%3A 1.4-every-parameter::") for line in step.lines)
    options = json.loads(given.read_text("utf-8"))
    assert (options["profile"], options["config"], options["strict"]) == ("public", "drsi-conformance.toml", True)
    upload = next(step for step in ACTION["runs"]["steps"] if "upload-sarif" in step.get("uses", ""))
    assert (tmp_path / upload["with"]["sarif_file"].replace("${{ inputs.output }}", "out")).is_file()
    _demand_no_commands_of_the_service(step.lines)
    assert not (tmp_path / "executed").exists()


def _demand_no_commands_of_the_service(lines: list[str]) -> None:
    stop = next(line for line in lines if line.startswith("::stop-commands::"))
    end = lines.index(f"::{stop.removeprefix('::stop-commands::')}::")
    said = [number for number, line in enumerate(lines) if line in ("::error::the service said so", "##[error]so")]
    assert len(said) == 2
    assert all(lines.index(stop) < number < end for number in said)


def test_arguments_are_words_as_in_a_shell(tmp_path: Path, given: Path) -> None:
    line = '--select=4.3 --strict\n\n  --fail-on alerts \n --label "case=a b" --label assessor=$(id) --output elsewhere'
    check(tmp_path, arguments=line)
    options = json.loads(given.read_text("utf-8"))
    expected = {"base_url": URL, "output": "drsi-conformance-report", "select": ["4.3"], "strict": True}
    expected |= {"fail_on": ["alerts"], "label": [["case", "a b"], ["assessor", "$(id)"]]}
    assert expected.items() <= options.items()
    assert not (tmp_path / "drsi-conformance-report" / "results.sarif").exists()

    # What cannot be used ends with an error, and the report of an earlier run is not taken for that of this one.
    step = check(tmp_path, arguments='--label "case')
    assert (step.done.returncode, "No closing quotation" in step.done.stdout + step.done.stderr) == (2, True)
    assert step.outputs == {"exit-code": "2", "outcome": ""}
    assert (tmp_path / "drsi-conformance-report" / "report.json").is_file()  # --baseline may name it


def test_a_configuration_file_that_the_workflow_does_not_name_counts_for_nothing(tmp_path: Path, given: Path) -> None:
    (tmp_path / "drsi-conformance.toml").write_text('specification = "absent.md"\ntoken-command = "false"\n', "utf-8")
    step = check(tmp_path)
    assert (step.outputs, given.exists()) == ({"exit-code": "2", "outcome": ""}, False)
    assert any("trust it as it is" in line for line in step.lines)


def test_the_suite_is_installed_from_the_action(tmp_path: Path) -> None:
    fake = tmp_path / "python"
    program(fake, '#!/bin/sh\n[ "$1 $3" = "-I venv" ] && mkdir -p "$4/bin" && cp pip "$4/bin/pip"\n')
    program(tmp_path / "pip", '#!/bin/sh\necho "$@" > installed\n')
    assert Step(tmp_path, "Install the suite", {}, PYTHON=str(fake)).done.returncode == 0
    assert (tmp_path / "installed").read_text().split() == ["install", "-q", "."]


TESTS, RELEASE = (
    yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text("utf-8")) for name in ("tests.yml", "release.yml")
)
JOBS = RELEASE["jobs"]
REFUSES = next(step["run"] for step in JOBS["build"]["steps"] if step.get("name", "").startswith("Refuse"))


def test_only_the_jobs_that_publish_may_speak_for_the_repository_and_they_run_none_of_its_code() -> None:
    assert TESTS["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in TESTS["jobs"].values())
    assert RELEASE["permissions"] == {}
    assert JOBS["build"]["permissions"] == {"contents": "read"}
    assert JOBS["pypi"]["permissions"] == {"id-token": "write"}
    for name in ("pypi", "release"):
        assert [step for step in JOBS[name]["steps"] if "checkout" in step.get("uses", "")] == []


def test_nothing_from_outside_is_pasted_into_a_script() -> None:
    steps = [*STEPS.values(), *(step for job in JOBS.values() for step in job["steps"])]
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize(
    ("tag", "owner", "said"),
    [
        (f"v{__version__}", "someone", ""),
        ("v99.0.0", "someone", f"Expected the tag v{__version__}, "),
        (f"v{__version__}", "OWNER", "Replace OWNER in pyproject.toml"),
    ],
)
def test_a_tag_must_be_the_version_and_the_addresses_must_be_filled_in(
    tmp_path: Path, tag: str, owner: str, said: str
) -> None:
    (tmp_path / "conformance").mkdir()
    for name in ("conformance/__init__.py", "pyproject.toml"):
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8").replace("OWNER", owner), "utf-8")
    done = bash(tmp_path, REFUSES, GITHUB_REF_NAME=tag)
    assert (done.returncode, said in done.stdout) == (1 if said else 0, True)
