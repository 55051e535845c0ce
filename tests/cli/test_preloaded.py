"""What the process that forks the runs of an audit loads: all of it is there, and nothing that a fork must not have."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LOADED = """
import json, sys, threading
from conformance.cli import preloaded
absent = [name for name in preloaded._OF_SCHEMATHESIS if f"schemathesis.{name}" not in sys.modules]
print(json.dumps([absent, threading.active_count()]))
"""


def test_it_loads_what_there_is_and_starts_nothing(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], cwd=folder, capture_output=True, text=True, check=True)
    absent, threads = json.loads(done.stdout)
    assert absent == []  # another version of schemathesis has other modules: name those
    assert (threads, done.stderr, list(folder.iterdir())) == (1, "", [])
