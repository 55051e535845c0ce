"""action.yml: what its shell steps do with inputs, results and hostile output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from composite_action import ACTION, STEPS, Step
from installed_suite import install, program
from platforms import POSIX_COMMANDS

pytestmark = POSIX_COMMANDS
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
    step = check(tmp_path, profile="public", sarif="true", output="out")

    assert (step.done.returncode, step.done.stderr) == (1, "")
    assert step.outputs == {"exit-code": "1", "outcome": "does-not-conform"}
    assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text("utf-8").startswith("## DRSI conformance: Does not conform")
    assert any(line.startswith("::error title=Failed%3A 1.4-every-parameter::") for line in step.lines)
    assert json.loads(given.read_text("utf-8"))["profile"] == "public"
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
    for wrong, said in (("--no-such-option", "No such option"), ('--label "case', "No closing quotation")):
        step = check(tmp_path, arguments=wrong)
        assert (step.done.returncode, said in step.done.stdout + step.done.stderr) == (2, True)
        assert step.outputs == {"exit-code": "2", "outcome": ""}
    assert (tmp_path / "drsi-conformance-report" / "report.json").is_file()  # --baseline may name it


def test_a_configuration_file_counts_if_the_workflow_names_it(tmp_path: Path, given: Path) -> None:
    (tmp_path / "drsi-conformance.toml").write_text('specification = "absent.md"\ntoken-command = "false"\n', "utf-8")
    step = check(tmp_path)
    assert (step.outputs, given.exists()) == ({"exit-code": "2", "outcome": ""}, False)
    assert any("trust it as it is" in line for line in step.lines)

    (tmp_path / "drsi-conformance.toml").write_text("strict = true\n", "utf-8")
    step = check(tmp_path, config="drsi-conformance.toml")
    assert step.outputs == {"exit-code": "1", "outcome": "does-not-conform"}
    options = json.loads(given.read_text("utf-8"))
    assert (options["config"], options["strict"]) == ("drsi-conformance.toml", True)


def test_the_suite_is_installed_from_the_action(tmp_path: Path) -> None:
    fake = tmp_path / "python"
    program(fake, '#!/bin/sh\n[ "$1 $3" = "-I venv" ] && mkdir -p "$4/bin" && cp pip "$4/bin/pip"\n')
    program(tmp_path / "pip", '#!/bin/sh\necho "$@" > installed\n')
    assert Step(tmp_path, "Install the suite", {}, {"PYTHON": str(fake)}).done.returncode == 0
    assert (tmp_path / "installed").read_text().split() == ["install", "-q", "."]


def test_nothing_from_outside_is_pasted_into_a_script() -> None:
    assert [name for name, step in STEPS.items() if "${{" in step["run"]] == []
