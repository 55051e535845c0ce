"""--drsi-set: an unscored failure is a skipped test, in the checks and in the user's own tests."""

from __future__ import annotations

import pytest
from cli_services import served
from older_set import ID, Misspelt, add_older_set
from plain_pytest import Run


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
