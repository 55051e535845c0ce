"""Processes that add runs to a store, for tests of several at once and of those that are killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_ADD = """
import os, signal, sys
from pathlib import Path
from conformance.fleet.store.store import Store

url, evidence, *runs = sys.argv[1:]
{before}
print("ready", flush=True)
sys.stdin.readline()
with Store.open(url, evidence, create=True) as store:
    for run in runs:
        store.add_run(Path(run), target="shared")
"""


def started(url: str, evidence: Path | str, *runs: Path, before: str = "") -> subprocess.Popen[str]:
    """Start a process that adds runs when it receives a line. It runs the code `before` first."""
    words = [sys.executable, "-c", _ADD.format(before=before), url, str(evidence), *map(str, runs)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def go(*processes: subprocess.Popen[str]) -> list[int | None]:
    """Let processes that are ready begin together; return their exit codes."""
    for each in processes:
        assert each.stdout
        assert each.stdout.readline() == "ready\n"
    for each in processes:
        assert each.stdin
        each.stdin.write("go\n")
        each.stdin.flush()
    for each in processes:
        each.communicate(timeout=120)
    return [each.returncode for each in processes]
