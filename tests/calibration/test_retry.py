"""What a self-test reports is tried again before it counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calibration_samples import FAULT, OWN, of_fault

from conformance.calibration.regression import main
from conformance.calibration.run_one import Trial
from conformance.model.verdict import Verdict

GOOD, MISSED = of_fault(), of_fault(**{OWN: Verdict.PASS})


@pytest.mark.parametrize(
    ("about", "trials", "told"),
    [
        (FAULT, [GOOD], ""),
        (FAULT, [MISSED, GOOD], ""),
        (FAULT, [MISSED, MISSED], f"{FAULT}: something"),
        ("score", [], ""),
        ("invariant", [], "invariant: something"),
    ],
)
def test_only_what_shows_again_counts(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    about: str,
    trials: list[Trial],
    told: str,
) -> None:
    left = iter(trials)
    monkeypatch.setattr("conformance.calibration.regression.attempt", lambda _: next(left))
    file = tmp_path / "calibration.json"
    file.write_text(json.dumps({"problems": [{"about": about, "what": "something"}]}))

    assert main(str(file)) == bool(told)
    assert capsys.readouterr().err.strip() == told
    assert list(left) == []
