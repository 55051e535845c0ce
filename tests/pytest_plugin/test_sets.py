"""--drsi-set: an unscored failure is a skipped test, in the checks and in the user's own tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli_services import served
from plain_pytest import Run, outcomes

from conformance.model import sets
from conformance.reference.call import Call
from conformance.reference.service import Service

ID = "2.3-supportedLanaguages"


class Misspelt(Service):
    """Spells the languages as they are spelt everywhere else."""

    def settings(self, call: Call) -> Any:
        settings = super().settings(call)
        settings["supportedLanguages"] = settings.pop("supportedLanaguages")
        return settings


@pytest.fixture(autouse=True)
def two_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """An older set, which does not list one requirement."""
    present = sets.set_named("2026-1")
    rows = {id: digest for id, digest in present.rows.items() if id != ID}
    older = replace(present, name="2025-1", rows=rows)
    monkeypatch.setattr(sets, "sets", lambda: {"2025-1": older, "2026-1": present})


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
    assert "--drsi-set: No set of requirements is called '2024-1'. Sets: 2025-1, 2026-1." in result.err + result.out
