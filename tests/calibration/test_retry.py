"""What a self-test reports is tried again before it counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.calibration.regression import main


@pytest.mark.parametrize(
    ("about", "code", "told"),
    [
        ("settings-want-a-token", 0, ""),
        ("score", 0, ""),
        ("invariant", 1, "invariant: something"),
        ("request-id-of-an-encrypted-counter", 0, ""),
    ],
)
def test_only_what_shows_again_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], about: str, code: int, told: str
) -> None:
    file = tmp_path / "calibration.json"
    file.write_text(json.dumps({"problems": [{"about": about, "what": "something"}]}))

    assert main(str(file)) == code
    assert capsys.readouterr().err.strip() == told
