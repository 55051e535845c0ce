"""Benchmarks use parts of the tests; a part that goes must not leave a benchmark that does not begin."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = [path for path in sorted(FOLDER.glob("*.py")) if "parse_args" in path.read_text("utf-8")]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_begins(script: Path) -> None:
    result = subprocess.run([sys.executable, script, "--help"], capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("usage: ")
