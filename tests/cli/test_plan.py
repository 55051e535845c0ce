"""`check --plan`: how many requests and creations a run would make."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_services import Command, report_of, served

PUBLIC = ("--profile", "public")

pytestmark = pytest.mark.usefixtures("tokens")


def totals(out: str) -> tuple[int, int]:
    requests, created = next(line for line in out.splitlines() if line.split()[:1] == ["Total"]).split()[1:]
    return int(requests.replace(",", "")), int(created.replace(",", ""))


def test_a_public_run_makes_as_many_as_its_plan_says(folder: Path, command: Command) -> None:
    with served(max_requests=2, languages=("sv", "fi"), seed=3) as target:
        plan = command("check", target.base_url, "--plan", *PUBLIC)
        assert plan.code == 0
        assert "a limit of 2" in plan.out
        assert target.live == 0
        assert list(folder.iterdir()) == []
        run = command("check", target.base_url, "--empty-account", "--output", "out", "--quiet", *PUBLIC)
    assert run.code == 0, run.err
    summary: Any = report_of(Path("out"))["summary"]

    assert totals(plan.out) == (summary["exchanges"], summary["created"])


def test_the_requests_of_a_plan_are_those_of_a_run(folder: Path, command: Command) -> None:
    with served(max_requests=2, languages=("sv", "fi"), seed=3) as target:
        plan = command("check", target.base_url, "--plan", "--har", "plan.har", "--seed", "5")
        assert plan.code == 0
        assert "plan.har lists the requests." in plan.out
        run = ("check", target.base_url, "--empty-account", "--output", "out", "--quiet", "--seed", "5")
        assert command(*run).code == 0
    summary: Any = report_of(Path("out"))["summary"]
    assert totals(plan.out) == (summary["exchanges"], summary["created"])
    planned, made = (
        json.loads((folder / name).read_bytes())["log"]["entries"] for name in ("plan.har", "out/evidence.har")
    )

    def shape(entry: dict[str, Any]) -> tuple[str, str]:
        path = entry["request"]["url"].removeprefix(target.base_url).partition("?")[0]
        return entry["request"]["method"], re.sub("^/requests/.*", "/requests/…", path)

    assert all(entry["request"]["url"].startswith(target.base_url) for entry in planned)
    assert set(map(shape, planned)) == set(map(shape, made))
    assert "stand-in" in json.loads((folder / "plan.har").read_bytes())["log"]["comment"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("--plan", "--har", "there.har"), "there.har exists"), (("--har", "new.har"), "Add --plan")],
)
def test_a_plan_is_written_into_a_new_file_and_only_if_there_is_one(
    folder: Path, command: Command, arguments: tuple[str, ...], words: str
) -> None:
    (folder / "there.har").write_text("mine", "utf-8")

    result = command("check", *PUBLIC, *arguments)

    assert (result.code, words in result.err) == (2, True), result.err
    assert (folder / "there.har").read_text("utf-8") == "mine"
    assert not (folder / "new.har").exists()


def test_requests_that_several_clauses_share_are_counted_by_themselves(command: Command) -> None:
    lines = [line.split() for line in command("check", "--plan").out.splitlines()]
    counts = [(words[0], [int(word) for word in words[-2:]]) for words in lines if words and words[-1].isdigit()]
    rows = dict(counts)

    assert {"doctor", "sequences"} <= rows.keys()
    assert (rows["4.2"][1], rows["doctor"][1]) == (2, 0)
    assert rows["Total"][0] == sum(numbers[0] for heading, numbers in counts if heading != "Total")


def test_a_selection_makes_all_calls_and_a_deselection_leaves_some_out(command: Command) -> None:
    whole, selected, fewer = (
        totals(command("check", "--plan", *options).out)[0]
        for options in (PUBLIC, (*PUBLIC, "--select", "2.3"), (*PUBLIC, "--deselect", "7"))
    )

    assert fewer < whole == selected


def test_a_service_that_does_not_answer_is_planned_for_like_the_reference(command: Command) -> None:
    result = command("check", "http://127.0.0.1:9", "--plan", *PUBLIC)
    assert result.code == 0
    assert "the limit of http://127.0.0.1:9 is not known" in result.out


def test_a_selection_without_checks(command: Command) -> None:
    assert command("check", "--plan", "--select", "4.9").code == 2
    assert command("check", "--plan", "--select", "4.3", "--profile", "public").code == 2


def test_a_crash_of_the_suite(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.runner.plan.check", None)
    assert command("check", "--plan").code == 4
