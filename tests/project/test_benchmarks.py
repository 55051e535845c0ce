"""Benchmarks use parts of the tests; a part that goes must not leave a benchmark that does not begin."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = [path for path in sorted(FOLDER.glob("*.py")) if "parse_args" in path.read_text("utf-8")]
BEGINS = """
import runpy, sys
for script in sys.argv[1:]:
    sys.argv = [script, "--help"]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as ended:
        assert not ended.code, script
"""


def test_each_benchmark_begins() -> None:
    """In one process, which loads the suite once."""
    begins = [sys.executable, "-c", BEGINS, *SCRIPTS]
    result = subprocess.run(begins, cwd=FOLDER, capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stderr
    assert [line.split()[1] for line in result.stdout.splitlines() if line.startswith("usage: ")] == [
        path.name for path in SCRIPTS
    ]
