"""--drsi-set: an unscored failure is a skipped test, in the checks and in the user's own tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_services import served
from older_set import ID, Misspelt, add_older_set
from plain_pytest import Run, outcomes


@pytest.fixture(autouse=True)
def two_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """An older set, which does not list one requirement."""
    add_older_set(monkeypatch, ID)


def test_a_check_of_an_unscored_requirement_is_skipped(run_checks: Run) -> None:
    with served(Misspelt) as service:
        scored = run_checks(service.base_url, "-k", f"{ID} or 4.4-object")
        older = run_checks(service.base_url, "-k", f"{ID} or 4.4-object", "--drsi-set", "2025-1", "-rs")

    assert (scored.code, older.code) == (1, 0), older.out
    assert f"unscored: {ID} is fail" in older.out
    assert "Set 2025-1: 157 requirements scored; 1 is unscored" in older.out


def test_so_is_a_test_of_the_users_own(plain_pytest: Run, folder: Path) -> None:
    tests = "from conformance.pytest_plugin import Requirements\n\nclass TestInterface(Requirements):\n    {}\n"
    with served(Misspelt) as service:
        (folder / "test_sets_of_own.py").write_text(tests.format(f"drsi_base_url = {service.base_url!r}"), "utf-8")
        result = plain_pytest("-k", f"{ID} or 4.4-object", "--drsi-set", "2025-1", "--junitxml", "junit.xml")

    assert result.code == 0, result.out
    assert outcomes(folder / "junit.xml") == {
        f"test_requirement[{ID}]": "skipped",
        "test_requirement[4.4-object]": "passed",
    }


def test_an_unknown_set_is_bad_usage(run_checks: Run) -> None:
    result = run_checks("http://127.0.0.1:1", "--drsi-set", "2024-1")

    assert result.code == 4
    assert "'--drsi-set': No set of requirements is called '2024-1'. Sets: 2025-1, 2026-1." in result.err + result.out
