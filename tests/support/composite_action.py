"""The shell steps of action.yml, run as GitHub runs them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import yaml
from installed_suite import bash

ACTION = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text("utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "run" in step}


class Step:
    """The result of a step: what it printed, its exit code, its outputs and its summary.

    `inputs` are the inputs of the action; the others have their defaults. The step finds RUNNER_TEMP, GITHUB_OUTPUT and
    GITHUB_STEP_SUMMARY in `folder`, unless `environment`, which a runner adds to, says otherwise.
    """

    def __init__(self, folder: Path, name: str, inputs: Mapping[str, str], **environment: str) -> None:
        step = STEPS[name]
        values = {key: str(value.get("default", "")) for key, value in ACTION["inputs"].items()} | dict(inputs)
        variables = {key: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda found: values[found[1]], value)
                     for key, value in step.get("env", {}).items()}  # fmt: skip
        variables |= {"RUNNER_TEMP": str(folder / "temp"), "GITHUB_ACTION_PATH": "."}
        for variable in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
            variables[variable] = str(folder / variable)
        assert step["shell"] == "bash"
        self.done = bash(folder, step["run"], **variables | environment)
        output = folder / "GITHUB_OUTPUT"
        lines = output.read_text("utf-8").splitlines() if output.exists() else []
        self.outputs = dict(line.split("=", 1) for line in lines)
        self.lines = self.done.stdout.splitlines()
