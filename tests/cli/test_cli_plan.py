"""`check --plan`: how many requests and creations a run would make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_tools import OTHER_TOKEN, TOKEN, served
from conftest import Command

from conformance.cli import foretold


@pytest.fixture(autouse=True)
def tokens(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:  # noqa: ARG001
    monkeypatch.setenv("DRSI_TOKEN", TOKEN)
    monkeypatch.setenv("DRSI_OTHER_TOKEN", OTHER_TOKEN)


def totals(out: str) -> tuple[int, int]:
    requests, created = next(line for line in out.splitlines() if line.split()[:1] == ["Total"]).split()[1:]
    return int(requests.replace(",", "")), int(created.replace(",", ""))


@pytest.mark.parametrize("options", [(), ("--select", "4.3,8"), ("--profile", "public"), ("--seed", "5")])
def test_a_run_makes_as_many_as_its_plan_says(folder: Path, command: Command, options: tuple[str, ...]) -> None:
    with served(max_requests=2, languages=("sv", "fi"), seed=3) as target:
        plan = command("check", target.base_url, "--plan", *options)
        assert plan.code == 0
        assert "a limit of 2" in plan.out
        assert target.live == 0
        assert list(folder.iterdir()) == []
        made = command("check", target.base_url, "--empty-account", "--output", "out", "--quiet", *options)
    assert made.code == 0, made.err
    summary: Any = json.loads(Path("out/report.json").read_text("utf-8"))["summary"]

    assert totals(plan.out) == (summary["exchanges"], summary["created"])


def test_what_several_clauses_read_is_counted_apart(command: Command) -> None:
    lines = [line.split() for line in command("check", "--plan", "--select", "4.3").out.splitlines()]
    rows = {words[0]: [int(word) for word in words[-2:]] for words in lines if words and words[-1].isdigit()}
    assert {"doctor", "sequences", "Total"} <= rows.keys()

    assert rows["4.3"][1] == 1
    assert rows["doctor"][1] == 0
    assert rows["Total"][0] == sum(numbers[0] for heading, numbers in rows.items() if heading != "Total")


def test_a_target_that_says_nothing_is_planned_for_like_the_reference(command: Command) -> None:
    result = command("check", "http://127.0.0.1:9", "--plan")
    assert result.code == 0
    assert "the limit of the target is not known" in result.out


def test_an_unknown_requirement_is_refused_before_anything_is_asked(command: Command) -> None:
    result = command("check", "--plan", "--select", "4.9")
    assert result.code == 2
    assert "4.9" in result.err


def test_a_suite_that_breaks_says_so(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(foretold, "check", broken)
    assert command("check", "--plan").code == 4
