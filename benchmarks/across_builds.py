"""Evidence of older builds of the suite, verified by this one: is any accused, and how many verdicts are compared?

Each of the last commits that published a score is installed into an environment of its own. It checks three reference
services of this build, of which two have a fault. Then this build verifies the runs. Exit code 1 if it accuses one: it
may find that another build made the run (3), and nothing else. A run of a build whose reports this one cannot read
counts as one without a compared verdict.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from measure import COMMAND, positive

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from cli_services import OTHER_TOKEN, TOKEN, served  # type: ignore[import-not-found]

from conformance.calibration.faults import FAULTS
from conformance.model.verdict import Exit

ROOT = Path(__file__).parents[1]
SCORE = "conformance/calibration/score.json"
SERVICES = ("", "delete-answers-204", "settings-languages-single-as-text")


def main() -> None:
    """Make and verify the runs, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--builds", type=positive, default=5, metavar="NUMBER")
    number = parser.parse_args().builds
    commits = _said("git", "log", f"-{number}", "--format=%h", "--", SCORE).split()
    compared, of, accused = 0, 0, 0
    with tempfile.TemporaryDirectory() as place:
        for commit in commits:
            command = _installed(commit, Path(place, commit))
            for name in SERVICES:
                code, equal, total = _verified(_recorded(command, name, Path(place, f"{commit}-{name}")))
                compared, of, accused = compared + equal, of + total, accused + (code != Exit.INCONCLUSIVE)
                print(f"{commit}  {name or 'no fault':<50}  exit code {code}, {equal} of {total} verdicts compared")
    print(f"{accused} runs accused; {compared / of:.1%} of {of} verdicts compared")
    sys.exit(bool(accused))


def _said(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _installed(commit: str, place: Path) -> Path:
    """Install a commit, and return the path of its command."""
    source, environment = place / "source", place / "environment"
    source.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(source)], input=archive, check=True)
    _said(sys.executable, "-m", "venv", str(environment))
    _said(str(environment / "bin" / "pip"), "install", "-q", str(source))
    return environment / "bin" / "drsi-conformance"


def _recorded(command: Path, fault: str, folder: Path) -> Path:
    """Check a service with another build, and return the folder of the run."""
    tokens = {"DRSI_TOKEN": TOKEN, "DRSI_OTHER_TOKEN": OTHER_TOKEN}
    with ExitStack() as stack:
        service = stack.enter_context(served(*([FAULTS[fault].service] if fault else [])))
        options = ("--empty-account", "--quiet", "--format", "html", "--output", str(folder))
        subprocess.run(
            [command, "check", service.base_url, *options],
            env={**os.environ, **tokens},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    return folder


def _verified(folder: Path) -> tuple[int, int, int]:
    """Return the exit code of `verify`, how many verdicts were compared, and of how many."""
    done = subprocess.run([COMMAND, "verify", str(folder)], capture_output=True, text=True, check=False)
    found = re.search(r"(\d+) of \d+ verdicts compared", done.stdout)
    report = json.loads((folder / "report.json").read_text("utf-8"))
    return done.returncode, int(found[1]) if found else 0, len(report["requirements"])


if __name__ == "__main__":
    main()
