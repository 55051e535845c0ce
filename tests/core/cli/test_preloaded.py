"""What the process that forks the runs of an audit loads: all of it is there, and nothing that a fork must not have."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LOADED = """
import json, sys, threading
from conformance.cli import preloaded
from conformance.calibration.run_one import REFERENCE_JOB, attempt
before = set(sys.modules)
threads = threading.active_count()
attempt(REFERENCE_JOB)
print(json.dumps([sorted(each for each in set(sys.modules) - before if each.startswith("schemathesis")), threads]))
"""


def test_it_loads_what_there_is_and_starts_nothing(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], cwd=folder, capture_output=True, text=True, check=True)
    late, threads = json.loads(done.stdout)
    assert late == []  # another version of schemathesis may load other modules: name those
    assert (threads, done.stderr, list(folder.iterdir())) == (1, "", [])
