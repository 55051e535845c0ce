"""A good use of the options of `check` that have no file of their own, of --app, and of --plan."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cli_services import OTHER_TOKEN, Command, listening, report_of, served
from older_set import ID, Misspelt, add_older_set
from platforms import POSIX_COMMANDS

from conformance import __version__
from conformance.cli.check import command as check
from conformance.reference.app import build_app
from conformance.reference.call import Call, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"

LONGEST = "".join(chr(code) for code in range(33, 127) if chr(code) not in "()\\") + 37 * "x"
"""The longest nonce, of all its characters."""

pytestmark = pytest.mark.usefixtures("tokens")


class Starting(Service):
    """Answers 503 to its first two calls."""

    async def answer(self, call: Call) -> Reply:
        return Reply(503, b"", {}) if self.turn("call") < 2 else await super().answer(call)


def test_options_that_describe_a_run_are_in_its_report(command: Command) -> None:
    given = {
        "--wait": "60",
        "--help-base": "https://docs.example/latest/",
        "--label": "case=4711",
        "--authority": "Contract 4711",
        "--nonce": LONGEST,
        "--seed": "7",
        "--rate": "500",
        "--max-time": "300",
        "--format": "sarif",
    }
    words = [word for pair in given.items() for word in pair]
    with served(Starting) as service:
        result = command("check", service.base_url, *words, "--only", "4.4-answers-200", "--output", "out")

    report = report_of(Path("out"))
    assert (result.code, report["outcome"], report["seed"]) == (0, "conforms-in-part", 7), result.err
    assert f"Waiting until {service.base_url} answers, at most 60 s" in result.err
    assert (report["run"]["help_base"], report["run"]["nonce"]) == ("https://docs.example/latest", LONGEST)
    assert report["run"]["labels"] == {"authority": "Contract 4711", "case": "4711"}
    assert report["run"]["options"]["rate"] == 500
    page = "https://docs.example/latest/requirements/4.4-answers-200.html"
    assert page in Path("out/results.sarif").read_text("utf-8")
    assert page in command("explain", "4.4-answers-200", "--help-base", "https://docs.example/latest").out
    evidence = Path("out/evidence.har").read_text("utf-8")
    assert '"status": 503' not in evidence
    headers = [header for each in json.loads(evidence)["log"]["entries"] for header in each["request"]["headers"]]
    agents = {each["value"] for each in headers if each["name"].lower() == "user-agent"}
    assert agents == {f"drsi-conformance/{__version__} (nonce {LONGEST})"}


@POSIX_COMMANDS
def test_commands_empty_the_account_and_complete_requests_and_no_verification_runs_them(
    command: Command, folder: Path
) -> None:
    done, mark = folder / "done", folder / "reset"
    done.mkdir()

    class Emptied(Service):
        """Completes what files name, and removes a request of an earlier day as soon as a file is there."""

        async def answer(self, call: Call) -> Reply:
            if mark.exists():
                self.store.remove("old")
            for path in done.iterdir():
                self.complete_request(path.name)
            return await super().answer(call)

    with served(Emptied) as service:
        service.service.store.add(
            DataRequest("old", "alice.example", datetime(2026, 1, 1, tzinfo=UTC), ("newsletter",))
        )
        complete = ("--complete-command", f"touch '{done}/{{requestId}}'")
        reset = ("--reset-command", f"touch {shlex.quote(str(mark))}", "--empty-account")
        only = ("3-deletes-completed", "8-accepts-up-to-limit")
        result = command("check", service.base_url, *complete, *reset, "--output", "out", only=only)
        assert (result.code, service.live) == (0, 0), result.out
        failed = command("check", service.base_url, "--reset-command", "false", "--output", "none")
    assert (failed.code, "--reset-command: the command failed with exit code 1" in failed.err) == (2, True)
    assert not (folder / "none" / "report.json").exists()
    report, evidence = report_of(folder / "out"), (folder / "out" / "evidence.har").read_text("utf-8")
    assert {row["verdict"] for row in report["requirements"] if row["id"] in only} == {"pass"}
    options = report["run"]["options"]
    assert (options["complete-command"], options["reset-command"]) == (True, True)
    assert json.loads(evidence)["log"]["_run"]["target"]["account_was_reset"] is True
    assert "touch" not in json.dumps(report) + evidence

    mark.unlink()

    assert command("verify", "out").code == 0
    assert not mark.exists()


def test_an_older_set_keeps_a_pipeline_green(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    add_older_set(monkeypatch, ID, "5-isolation")
    with served(Misspelt) as service:
        words = ("check", service.base_url, "--profile", "public", "--only", f"{ID},4.4", "--output", "out")
        pinned = command(*words, "--strict", "--set", "2025-1")

    assert (pinned.code, report_of(Path("out"))["scope"]["set"]) == (0, "2025-1")
    assert "UNSCORED 2.3-supportedLanaguages\n" in pinned.out
    refused = command("check", "--set", "2025-1", "--fail-on", "5-isolation")
    assert (refused.code, "which the set 2025-1 does not score. Choose a newer --set." in refused.err) == (2, True)
    text = command("requirements", "--set", "2025-1").out
    assert {line.split()[0] for line in text.splitlines() if "(unscored)" in line} >= {ID, "5-isolation"}


def test_a_short_token_is_used_where_that_is_allowed(command: Command) -> None:
    config = ReferenceConfig(users=(User("alice.example", "short"), User("bob.example", OTHER_TOKEN)))
    with listening(build_app(config)) as origin:
        base_url = f"{origin}{config.path_prefix}"
        prints = f"--token-command={sys.executable} -c 'print(\"short\")'"
        refused = command("doctor", prints, base_url)
        allowed = command("doctor", prints, "--allow-short-token", base_url)

    assert (refused.code, "--token-command: its output" in refused.err) == (2, True)
    assert (allowed.code, "ok       token: accepted" in allowed.out) == (0, True), allowed


# ------------------------------------------------------------------ --app


def test_exceptions_of_the_service_stand_beside_the_finding_and_scripts_run_on_the_application_that_is_named(
    command: Command, folder: Path
) -> None:
    source = (EXAMPLES / "fastapi" / "service.py").read_text("utf-8")
    right, wrong = "    return Settings()\n", '    return Settings(**{"maxNumberOfRequests": requests["none"]})\n'
    assert right in source
    (folder / "service.py").write_text(source.replace(right, wrong), "utf-8")
    narrow = ("--profile", "public", "--only", "4.4-answers-200", "--output", "out")
    result = command("check", "--app", "service:app/api", *narrow)

    assert result.code == 1
    assert "server   " in result.out
    (row,) = [row for row in report_of(folder / "out")["requirements"] if row["id"] == "4.4-answers-200"]
    finding = row["findings"][0]
    assert finding["server"].startswith("KeyError: 'none' (File ")
    assert finding["server"].endswith("in settings)")
    entries = json.loads((folder / "out" / "evidence.har").read_text("utf-8"))["log"]["entries"]
    (shown,) = [entry for entry in entries if entry["_id"] == finding["exchanges"][0]]
    assert "KeyError: 'none'" in shown["_raised"]
    page = (folder / "out" / "report.html").read_text("utf-8")
    assert "Raised by the code of the service" in page
    assert "drsi-conformance check --app service:app/api --only 4.4-answers-200" in page.replace(
        "--profile public ", ""
    )
    assert command("verify", "out").code == 0

    alone = command("reproduce", "out", "--all")
    assert (alone.code, alone.out) == (2, "")
    assert "--app service:app/api" in alone.err
    again = command("reproduce", "out", "--all", "--app", "service:app/api")
    assert (again.code, again.out.splitlines()[-1]) == (1, "1 finding STILL FAILS")


GUARDED = """
from service import app as inner
from starlette.middleware.trustedhost import TrustedHostMiddleware

named = TrustedHostMiddleware(inner, allowed_hosts=["service.example"])
"""


def test_an_application_that_refuses_its_address_is_not_failed_and_can_have_another_name(
    command: Command, folder: Path
) -> None:
    shutil.copy(EXAMPLES / "fastapi" / "service.py", folder)
    (folder / "guarded.py").write_text(GUARDED, "utf-8")
    result = command("check", "--app", "guarded:named/api")
    assert result.code == 3, result.out
    words = ("cause  configuration", "400 (Invalid host header)", "TrustedHostMiddleware", "--app-host NAME")
    assert [each for each in words if each not in result.err] == []

    options = ("--app-host", "service.example", "--profile", "public", "--only", "4.4", "--output", "out")
    result = command("check", "--app", "guarded:named/api", *options)
    assert result.code == 0, result.out
    assert report_of(folder / "out")["run"]["options"]["app-host"] == "service.example"


# ------------------------------------------------------------------ --plan


NARROW = ("--only", "4.1-answers-200,4.3,4.4", "--seed", "5")


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
