"""`selftest --select`: the verdict of a requirement that is selected alone, beside that of a whole run."""

from __future__ import annotations

import json
from pathlib import Path

from calibration_samples import FAULT, OWN, run, valid


def test_the_command_tries_selections_and_verifies_the_whole_runs(tmp_path: Path) -> None:
    code = run("selftest", "--only", FAULT, "--select", "--verify", "--jobs", "1", "--quiet", "--output", str(tmp_path))

    data = json.loads((tmp_path / "calibration.json").read_text("utf-8"))
    assert code == 0
    assert [(each["requirement"], each["whole"], each["selected"]) for each in data["selections"]] == [
        (OWN, "fail", "fail")
    ]
    assert data["score"]["sensitivity"] == {"kept": 1, "of": 1}
    valid(data)
