"""The verdicts of another commit of the project: its code tries the same services, from the same recordings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from conformance.calibration.run_one import Job
from conformance.calibration.vectors import Vectors

_PROJECT: Final = Path(__file__).parents[2]

_TRY: Final = """
import json, sys
from conformance.calibration.pool import attempt_all
from conformance.calibration.run_one import Job
from conformance.calibration.vectors import vectors

def jobs_of(asked):
    for each in asked:
        job = Job(**each)
        try:
            job.variant
        except LookupError:
            continue
        yield job

if __name__ == "__main__":
    asked = json.load(sys.stdin)
    jobs = list(jobs_of(asked["jobs"]))
    print(json.dumps(vectors(attempt_all(jobs, workers=min(asked["workers"], len(jobs) or 1)))))
"""
"""A program of the other code. It leaves out services that this code does not have."""


class NoCommit(ValueError):
    """A commit whose code cannot try the services; the message says why."""


def vectors_at(commit: str, jobs: Sequence[Job], *, workers: int, read: bool = True) -> Vectors:
    """Return the verdicts that the code of a commit reaches in these trials, without services that it does not have.

    Without `read` it judges no recordings of earlier trials. Raise NoCommit if there is no repository or no such
    commit, or if its code has no such self-test.
    """
    with _checked_out(commit) as tree:
        asked = json.dumps({"jobs": [_named(job) for job in jobs], "workers": workers})
        program = tree / "try_services.py"
        program.write_text(_TRY, "utf-8")
        environment = {"PYTHONPATH": str(tree)} | ({} if read else {"XDG_CACHE_HOME": str(tree / "no-recordings")})
        done = _run([sys.executable, "-P", str(program)], tree, asked, environment)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise NoCommit(f"the code of {commit} cannot try these services ({last}).")
    found: Vectors = json.loads(done.stdout.splitlines()[-1])
    return found


def _named(job: Job) -> dict[str, Any]:
    """Return the options of a trial that are not the usual ones: other code may not have all of them."""
    usual = asdict(Job(name=""))
    return {name: value for name, value in asdict(job).items() if value != usual[name]}


@contextmanager
def _checked_out(commit: str) -> Iterator[Path]:
    """Give a folder with the files of a commit, importable as this project is."""
    found = _git("rev-parse", "--quiet", "--verify", "--end-of-options", f"{commit}^{{commit}}")
    if not found or not (_PROJECT / ".git").exists():  # an installed suite may stand inside of another repository
        raise NoCommit(f"{commit} is no commit of a git repository in {_PROJECT}.")
    with TemporaryDirectory(prefix="drsi-commit-") as name:
        tree = Path(name) / "tree"
        try:
            if _git("worktree", "add", "--detach", str(tree), found) is None:
                raise NoCommit(f"git cannot check out {commit} beside {_PROJECT}.")
            _link_packages(tree, commit)
            yield tree
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _link_packages(tree: Path, commit: str) -> None:
    """Put the packages that the project keeps elsewhere where a wheel has them."""
    try:
        settings = tomllib.loads((tree / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
        for package, folder in settings.get("package-dir", {}).items():
            (tree / package.replace(".", "/")).symlink_to(tree / folder)
    except (OSError, LookupError, tomllib.TOMLDecodeError) as error:
        raise NoCommit(f"the packages of {commit} are not those of this project ({error}).") from None


def _git(*words: str) -> str | None:
    """Return what git prints in the folder of the project; None if it fails or is not installed."""
    try:
        done = _run(["git", *words], _PROJECT)
    except OSError:
        return None
    return None if done.returncode else done.stdout.strip()


def _run(
    command: Sequence[str], folder: Path, text: str = "", environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - git, or the code of a commit that the user named
        command,
        cwd=folder,
        input=text,
        env=os.environ | (environment or {}),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
