"""--set, as an option, a key of the file and a setting of pytest, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_services import Command, report_of, served
from older_set import ID, Misspelt, add_older_set

from conformance.model.requirements import catalogue

NARROW = ("--profile", "public", "--only", f"{ID},4.4", "--quiet", "--output", "out")

pytestmark = pytest.mark.usefixtures("tokens")


@pytest.fixture(autouse=True)
def two_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """An older set, which lists neither one must nor one alert."""
    add_older_set(monkeypatch, ID, "5-isolation")


def test_a_pinned_set_keeps_a_pipeline_green(command: Command, folder: Path) -> None:
    with served(Misspelt) as service:
        newest = command("check", service.base_url, *NARROW)
        pinned = command("check", service.base_url, *NARROW, "--strict", "--set", "2025-1")
        Path("drsi-conformance.toml").write_text('set = "2025-1"\n', "utf-8")
        by_the_file = command("check", service.base_url, *NARROW, "--config", "drsi-conformance.toml")

    assert [each.code for each in (newest, pinned, by_the_file)] == [1, 0, 0]
    assert "UNSCORED 2.3-supportedLanaguages (fail)" in pinned.out
    report = report_of(folder / "out")
    assert (report["scope"]["set"], report["run"]["options"]["set"]) == ("2025-1", "2025-1")
    verified = command("verify", "out")
    assert verified.code == 0, verified.out + verified.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "--set", "2024-1"), "No set of requirements is called '2024-1'. Sets: 2025-1, 2026-1."),
        (("requirements", "--set", "2024-1"), "No set of requirements is called '2024-1'."),
        (
            ("check", "--set", "2025-1", "--fail-on", "5-isolation"),
            "--fail-on names 5-isolation, which the set 2025-1 does not score. Choose a newer --set.",
        ),
    ],
)
def test_a_wrong_set_is_bad_usage(command: Command, arguments: tuple[str, ...], said: str) -> None:
    result = command(*arguments)

    assert result.code == 2
    assert said in " ".join(result.err.split())


def test_the_list_of_requirements_marks_what_a_set_does_not_score(command: Command) -> None:
    text = command("requirements", "--set", "2025-1").out
    listed = json.loads(command("requirements", "--set", "2025-1", "--json").out)

    assert [line.split()[0] for line in text.splitlines() if "(unscored)" in line] == [ID, "5-isolation"]
    assert {row["id"] for row in listed if not row["scored"]} == {ID, "5-isolation"}
    assert "(unscored)" not in command("requirements").out
    assert len(listed) == len(catalogue().rows)
