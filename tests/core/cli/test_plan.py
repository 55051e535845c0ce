"""`check --plan`: how many requests and creations a run would make."""

from __future__ import annotations

import json
import re
import shlex
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli_services import Command, report_of, served

from conformance.cli.check import command as check

NARROW = ("--only", "4.1-answers-200,4.3,4.4", "--seed", "5")

pytestmark = pytest.mark.usefixtures("tokens")


def totals(out: str) -> tuple[int, int]:
    requests, created = next(line for line in out.splitlines() if line.split()[:1] == ["Total"]).split()[1:]
    return int(requests.replace(",", "")), int(created.replace(",", ""))


@contextmanager
def unvisited() -> Iterator[str]:
    """Yield the origin of a port to which nothing may connect."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()


def with_metavar(word: str) -> list[str]:
    """Return the options of `check` whose value is named so."""
    return [each.opts[0] for each in check.params if word in (each.metavar or "").split("|")]


def test_a_plan_sends_nothing_runs_no_command_and_loads_no_application(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DRSI_TOKEN")
    monkeypatch.delenv("DRSI_OTHER_TOKEN")
    (folder / "trap.py").write_text("import pathlib; pathlib.Path('ran').touch(); print('token-of-a-command')", "utf-8")
    trap = shlex.join([sys.executable, str(folder / "trap.py"), "{requestId}"])
    commands, addresses = with_metavar("COMMAND"), with_metavar("URL")
    assert {each.opts[0] for each in check.params if "command" in str(each.name)} == {*commands}
    assert "--proxy" in addresses

    with unvisited() as origin:
        named = [(each, origin if each == "--proxy" else f"{origin}/{each}") for each in addresses]
        given = [word for option in [*named, *((each, trap) for each in commands)] for word in option]
        planned = command("check", f"{origin}/api", "--plan", "--wait", "1", *given)
    assert (planned.code, (folder / "ran").exists()) == (0, False), planned.err
    assert f"Nothing was sent to {origin}/api" in planned.out

    monkeypatch.syspath_prepend(str(folder))
    (served,) = with_metavar("MODULE:APP")
    planned = command("check", served, "trap:app/api", "--plan", "--har", "plan.har", "--profile", "public")
    assert (planned.code, (folder / "ran").exists()) == (0, False), planned.err
    assert json.loads((folder / "plan.har").read_bytes())["log"]["entries"][0]["request"]["url"].endswith("/settings")


def test_the_requests_of_a_plan_are_those_of_a_run(folder: Path, command: Command) -> None:
    with served(seed=3) as target:
        plan = command("check", target.base_url, "--plan", "--har", "plan.har", *NARROW)
        assert plan.code == 0
        assert "plan.har lists the requests." in plan.out
        assert command("check", target.base_url, "--output", "out", "--quiet", *NARROW).code == 0
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
