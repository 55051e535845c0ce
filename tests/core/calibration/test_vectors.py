"""The verdicts of two self-tests, compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calibration_samples import run

from conformance.calibration.vectors import FILE, NoVectors, load, moved


def test_each_verdict_that_moved_is_listed_by_requirement() -> None:
    before = {"no-limit": {"8-limit-enforced": "fail", "4.1-answers-200": "pass"}, "gone": {}}
    now = {"no-limit": {"8-limit-enforced": "inconclusive", "4.1-answers-200": "pass"}, "new": {}, "newer": {}}

    assert list(moved(before, now)) == [
        "8-limit-enforced  no-limit: fail -> inconclusive",
        "Services that were tried only earlier: 1.",
        "Services that were tried only now: 2.",
    ]
    assert list(moved(now, now)) == []


def test_a_self_test_writes_the_verdicts_that_a_later_one_is_compared_with(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tried = ("selftest", "--quiet", "--jobs", "1", "--only", "delete-answers-204")

    first = run(*tried, "--output", str(tmp_path / "a"))
    written = load(tmp_path / "a")
    changed = {name: verdicts | {"4.3-answers-ok": "pass"} for name, verdicts in written.items()}
    (tmp_path / "a" / FILE).write_text(json.dumps(changed), "utf-8")
    second = run(*tried, "--output", str(tmp_path / "b"), "--compare", str(tmp_path / "a"))

    assert (first, second) == (0, 0)
    assert written["delete-answers-204"]["4.3-answers-ok"] == "fail"
    assert capfd.readouterr().out.endswith("4.3-answers-ok  delete-answers-204: pass -> fail\n")


@pytest.mark.parametrize("content", [None, "no JSON", "[]", '{"a": 1}'])
def test_a_folder_without_verdicts_is_refused(
    content: str | None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        (tmp_path / FILE).write_text(content, "utf-8")

    with pytest.raises(NoVectors, match="Name the --output of one"):
        load(tmp_path)
    assert run("selftest", "--compare", str(tmp_path)) == 2
    assert "Name the --output of one" in " ".join(capfd.readouterr().err.split())
