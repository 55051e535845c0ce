"""The workflows of the repository: who may do what, on which systems the tests run, and which tags are refused."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from platforms import POSIX_COMMANDS

from conformance import __version__

pytestmark = POSIX_COMMANDS

ROOT = Path(__file__).parents[2]
TESTS, RELEASE = (
    yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text("utf-8")) for name in ("tests.yml", "release.yml")
)
JOBS = RELEASE["jobs"]
REFUSES = next(step["run"] for step in JOBS["build"]["steps"] if step.get("name", "").startswith("Refuse"))


def test_the_tests_run_with_each_version_of_python_on_each_system_and_may_change_nothing() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    versions = [found[1] for each in declared if (found := re.fullmatch(r"Programming Language .* (3\.\d+)", each))]
    matrix = TESTS["jobs"]["tests"]["strategy"]["matrix"]

    assert matrix["python"] == versions
    assert {each.partition("-")[0] for each in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert TESTS["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in TESTS["jobs"].values())


def test_only_the_jobs_that_publish_may_speak_for_the_repository_and_they_run_none_of_its_code() -> None:
    assert RELEASE["permissions"] == {}
    assert JOBS["build"]["permissions"] == {"contents": "read"}
    assert JOBS["pypi"]["permissions"] == {"id-token": "write"}
    for name in ("pypi", "release"):
        assert [step for step in JOBS[name]["steps"] if "checkout" in step.get("uses", "")] == []


def test_nothing_from_outside_is_pasted_into_a_script() -> None:
    assert [step["run"] for job in JOBS.values() for step in job["steps"] if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize(
    ("tag", "owner", "said"),
    [
        (f"v{__version__}", "someone", ""),
        (
            "v99.0.0",
            "someone",
            f"Expected the tag v{__version__}, the version in conformance/__init__.py, received v99",
        ),
        (f"v{__version__}", "OWNER", "Replace OWNER in pyproject.toml"),
    ],
)
def test_a_tag_must_be_the_version_and_the_addresses_must_be_filled_in(
    tmp_path: Path, tag: str, owner: str, said: str
) -> None:
    (tmp_path / "conformance").mkdir()
    for name in ("conformance/__init__.py", "pyproject.toml"):
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8").replace("OWNER", owner), "utf-8")
    environment = os.environ | {"GITHUB_REF_NAME": tag}
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", REFUSES], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, said in done.stdout) == (1 if said else 0, True)
