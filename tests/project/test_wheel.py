"""The wheel holds all that the command needs, and the code that runs gives its bytes. .ci/release installs it."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from conformance.trust.wheel import of_this_suite

ROOT = Path(__file__).resolve().parents[2]
FILES = ("pyproject.toml", "build_backend.py", "MANIFEST.in", "README.md", "LICENSE")
SOURCES = ("conformance", "schemas", "fixtures", "docs/ci")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of a copy of the sources: building leaves traces beside them."""
    source = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy2(ROOT / name, source / name)
    builds = [sys.executable, "-c", "import build_backend; build_backend.build_wheel('.')"]
    done = subprocess.run(builds, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = source.glob("*.whl")
    return made


def packaged(name: str, pattern: str) -> set[str]:
    """Return the files of a folder by the names they have to have in the wheel."""
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / name).rglob(pattern) if path.is_file()}
    return {each if each.startswith("conformance/") else f"conformance/{each}" for each in found}


def test_the_wheel_holds_what_the_command_needs_as_an_editable_installation_does(wheel: Path) -> None:
    wanted = packaged("schemas", "*.json") | packaged("fixtures", "*.json") | packaged("conformance", "*.py")
    wanted |= packaged("conformance/reports/templates", "*") | packaged("conformance/reports/translations", "*.po")
    wanted |= {f"conformance/ci_templates/{path.name}" for path in (ROOT / "docs/ci").glob("*.yml")}
    wanted |= {"conformance/model/requirements.toml", "conformance/checks/pytest.ini", "conformance/py.typed"}
    with zipfile.ZipFile(io.BytesIO(of_this_suite())) as made, zipfile.ZipFile(wheel) as released:
        assert wanted - set(released.namelist()) == set()
        code = [{name: each.read(name) for name in each.namelist() if name.startswith("conformance/")}
                for each in (made, released)]  # fmt: skip
        assert code[0] == code[1]
        # Its metadata is of the day of the installation.
        assert {name.rpartition("/")[2] for name in set(made.namelist()) ^ set(released.namelist())} == set()


def test_the_command_reads_nothing_of_its_directory(tmp_path: Path) -> None:
    trap = "raise SystemExit('read from the current directory')\n"
    for name in ("conftest.py", "test_trap.py", "conformance.py", "pytest.py", "json.py"):
        (tmp_path / name).write_text(trap)
    for name in ("pytest.ini", "tox.ini"):
        (tmp_path / name).write_text("[pytest]\naddopts = --no-such-option\n")
    hidden = ("PYTHONPATH", "PYTEST_ADDOPTS", "PYTEST_PLUGINS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DRSI_", *hidden))}

    words = ("check", "--quiet", "--only", "2.3,4.3", "--output", tmp_path / "out")
    done = subprocess.run(
        [Path(sys.executable).with_name("drsi-conformance"), *words],
        cwd=tmp_path,
        env={**kept, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert (report["complete"], report["outcome"]) == (True, "conforms-in-part")
    assert report["summary"]["left_behind"] == 0
