"""What a self-test found amiss is tried again before it counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.calibration.retry import main


@pytest.mark.parametrize(
    ("about", "code", "told"),
    [
        ("settings-want-a-token", 0, "Nothing of it shows again."),
        ("score", 0, "Nothing of it shows again."),
        ("law", 1, "law: something"),
        ("request-id-of-an-encrypted-counter", 0, "Nothing of it shows again."),
    ],
)
def test_only_what_shows_again_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], about: str, code: int, told: str
) -> None:
    file = tmp_path / "calibration.json"
    file.write_text(json.dumps({"problems": [{"about": about, "what": "something"}]}))

    assert main(str(file)) == code
    assert capsys.readouterr().out.strip() == told
