"""The suite as CI scripts install it, except that `check` writes a prepared run and no service is called."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).parent

_SUITE = f"""\
#!{sys.executable}
import json, sys
sys.path.insert(0, {str(SUPPORT)!r})
from pathlib import Path
if sys.argv[1] != "check":
    from conformance.cli import main
    sys.exit(main())
import click
import report_samples as samples
from conformance.cli.check import command
from conformance.reports import files
try:
    given = command.make_context("check", sys.argv[2:]).params  # the real options, so that a wrong one is found
except click.ClickException as error:
    error.show()
    sys.exit(getattr(error, "code", error.exit_code))
here = Path(__file__).parent
(here / "given.json").write_text(json.dumps(given, default=str))
print("::error::the service said so", "##[error]so", "##vso[task.setvariable variable=A]so", sep="\\n")
views = [name for name in given["format"] if name not in ("html", "summary")]  # which take longest, and no script reads
files.write(given["output"], samples.eventful(), samples.evidence(), views)
sys.exit(1)
"""


def install(folder: Path) -> Path:
    """Make the programs of a virtual environment in `folder`, and return the file with the options of `check`."""
    folder.mkdir(parents=True)
    program(folder / "drsi-conformance", _SUITE)
    program(folder / "python", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    program(folder / "pip", '#!/bin/sh\n[ "$1" = install ]\n')
    return folder / "given.json"


def bash(folder: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in `folder` as CI does; the programs in `folder/programs` come first."""
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    path = {"PATH": f"{folder / 'programs'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(words, cwd=folder, env=path | environment, capture_output=True, text=True, check=False)


def program(file: Path, text: str) -> None:
    """Write an executable file."""
    file.write_text(text, encoding="utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
