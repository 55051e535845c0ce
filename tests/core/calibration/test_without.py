"""`selftest --without`: the faults that a run finds only with what a library generates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calibration_samples import run, valid

BRACKETS = "types-with-a-bracket-break-the-pattern"


def test_the_command_lists_a_fault_that_only_schemathesis_finds(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--only", BRACKETS, "--without", "schemathesis", "--jobs", "1", "--quiet")

    code = run("selftest", *arguments, "--output", str(tmp_path))

    data = json.loads((tmp_path / "calibration.json").read_text("utf-8"))
    assert code == 0
    assert f"Only what schemathesis generates finds {BRACKETS}: 1 of 1 seed." in capfd.readouterr().out
    assert data["only_generated"] == [{"name": BRACKETS, "library": "schemathesis", "only": 1, "seeds": 1}]
    valid(data)
