"""The workflow that runs the tests on each system."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8"))
MATRIX = WORKFLOW["jobs"]["tests"]["strategy"]["matrix"]


def test_it_runs_each_version_of_python_on_each_system() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    versions = [found[1] for each in declared if (found := re.fullmatch(r"Programming Language .* (3\.\d+)", each))]

    assert MATRIX["python"] == versions
    assert {each.partition("-")[0] for each in MATRIX["os"]} == {"ubuntu", "macos", "windows"}


def test_it_may_change_nothing() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in WORKFLOW["jobs"].values())
