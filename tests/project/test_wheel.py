"""The wheel holds all that the command needs, and works away from the checkout, where no network is."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from platforms import POSIX_COMMANDS

from conformance.trust.wheel import of_this_suite

ROOT = Path(__file__).resolve().parents[2]
FILES = ("pyproject.toml", "build_backend.py", "MANIFEST.in", "README.md", "LICENSE")
SOURCES = ("conformance", "schemas", "fixtures", "docs/ci", *FILES)


def run(*command: str | Path, cwd: Path, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """Run a command in a directory, with nothing of this environment that leads back to the checkout."""
    hidden = ("PYTHONPATH", "VIRTUAL_ENV", "PYTEST_ADDOPTS", "PYTEST_PLUGINS")
    environment = {
        name: value for name, value in os.environ.items() if name not in hidden and not name.startswith("DRSI_")
    }
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**environment, "HOME": str(cwd)},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of a copy of the sources: building leaves traces beside them."""
    return wheel_of(copied(tmp_path_factory.mktemp("source")), tmp_path_factory.mktemp("dist"))


def copied(source: Path) -> Path:
    """Copy the sources into a folder, and return it."""
    for name in SOURCES:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
            shutil.copytree(ROOT / name, source / name, ignore=ignored, dirs_exist_ok=True)
        else:
            shutil.copy2(ROOT / name, source / name)
    return source


def wheel_of(source: Path, dist: Path) -> Path:
    """Build the wheel of a folder or an archive of sources into `dist`."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")
    built = run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", dist, source, cwd=dist)
    assert built.returncode == 0, built.stdout + built.stderr
    (made,) = dist.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the commands of a virtual environment that has the wheel, and this one's dependencies."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, with_pip=False)
    paths = sysconfig.get_paths("venv", {"base": str(place), "platbase": str(place)})
    python = Path(paths["scripts"]) / Path(sys.executable).name
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "--no-input")
    done = run(*pip, "install", "--no-deps", "--no-index", wheel, cwd=place)
    assert done.returncode == 0, done.stdout + done.stderr
    # A directory that a .pth file adds is searched last, and .pth files in it (of an editable install) are not read.
    dependencies = Path(pytest.__file__).parents[1]
    (Path(paths["purelib"]) / "dependencies.pth").write_text(f"{dependencies}\n")
    return Path(paths["scripts"])


@pytest.fixture
def away(tmp_path: Path, installed: Path) -> Path:
    """An empty directory; asserts that what is imported there is the wheel."""
    where = run(installed / "python", "-c", "import conformance; print(conformance.__file__)", cwd=tmp_path)
    assert Path(where.stdout.strip()).is_relative_to(installed.parent), where.stdout + where.stderr
    return tmp_path


def packaged(name: str, pattern: str) -> set[str]:
    """Return the files of a top-level folder by the names they have to have in the wheel."""
    return {f"conformance/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / name).rglob(pattern)}


def packaged_translations() -> set[str]:
    """Return the catalogues of the languages."""
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "conformance/reports/translations").rglob("*.po")}
    assert len(found) >= 3
    return found


def test_the_wheel_holds_schemas_fixtures_catalogue_and_templates(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())

    wanted = packaged("schemas", "*.json") | packaged("fixtures", "*.json")
    wanted |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "conformance").rglob("*.py")}
    wanted |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "conformance/reports/templates").iterdir()}
    wanted |= packaged_translations()
    wanted |= {f"conformance/ci_templates/{path.name}" for path in (ROOT / "docs/ci").glob("*.yml")}
    wanted |= {"conformance/model/requirements.toml", "conformance/checks/pytest.ini", "conformance/py.typed"}
    assert len(packaged("schemas", "*.json")) > 5
    assert len(packaged("fixtures", "*.json")) > 50
    assert wanted - names == set()


@POSIX_COMMANDS
def test_folder_time_zone_dates_and_modes_change_no_byte(wheel: Path, tmp_path: Path) -> None:
    source = copied(tmp_path / "elsewhere")
    for path in source.rglob("*"):
        path.chmod(0o700)
        os.utime(path, (1_600_000_000, 1_600_000_000))
    command = f"umask 077; exec {sys.executable} -c 'import build_backend; build_backend.build_wheel(\".\")'"
    dates = {"SOURCE_DATE_EPOCH": "1700000000", "TZ": "Asia/Tokyo"}
    again = subprocess.run(["sh", "-c", command], cwd=source, env=os.environ | dates, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert (source / wheel.name).read_bytes() == wheel.read_bytes()


MAKES_ITS_WHEEL = """
import pathlib, sys
from conformance.trust import wheel
pathlib.Path(sys.argv[1], wheel.FILE).write_bytes(wheel.of_this_suite())
"""


def test_an_installation_gives_the_wheel_of_the_release_again(wheel: Path, installed: Path, away: Path) -> None:
    made = run(installed / "python", "-c", MAKES_ITS_WHEEL, away, cwd=away)
    assert made.returncode == 0, made.stderr
    assert (away / wheel.name).read_bytes() == wheel.read_bytes()


def test_an_editable_installation_gives_the_same_code(wheel: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(of_this_suite())) as made, zipfile.ZipFile(wheel) as released:
        code = [{name: each.read(name) for name in each.namelist() if name.startswith("conformance/")}
                for each in (made, released)]  # fmt: skip
        assert code[0] == code[1]
        # Its metadata is of the day of the installation.
        assert {name.rpartition("/")[2] for name in set(made.namelist()) ^ set(released.namelist())} == set()


def test_the_installed_command_checks_the_embedded_service_and_reads_nothing_of_its_directory(
    installed: Path, away: Path
) -> None:
    trap = "raise SystemExit('read from the current directory')\n"
    for name in ("conftest.py", "test_trap.py", "conformance.py", "pytest.py", "json.py"):
        (away / name).write_text(trap)
    for name in ("pytest.ini", "tox.ini"):
        (away / name).write_text("[pytest]\naddopts = --no-such-option\n")

    # The tutorial makes a whole run from the wheel.
    words = ("check", "--quiet", "--only", "2.3,4.3", "--output", away / "out")
    done = run(installed / "drsi-conformance", *words, cwd=away)

    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((away / "out" / "report.json").read_text("utf-8"))
    assert report["complete"]
    assert report["outcome"] == "conforms-in-part"
    assert report["summary"]["left_behind"] == 0
    assert (away / "out" / "report.html").stat().st_size > 10_000
