"""The commands beside check, and the command as a whole."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from cli_tools import Started
from conftest import Command

from conformance import __version__
from conformance.cli.group import COMMANDS
from conformance.model.requirements import catalogue

HEAVY = ("httpx", "rich", "pytest", "jsonschema", "jinja2", "uvicorn", "starlette", "h11")


def test_version(command: Command) -> None:
    assert command("--version").out == f"drsi-conformance {__version__}\n"


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom conformance.cli import main\n"
        "try:\n    main(['--help'])\nfinally:\n    print('LOADED', *sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    text, _, loaded = done.stdout.partition("LOADED")
    assert all(f"  {name} " in text for name in COMMANDS)
    assert "..." not in text.partition("Commands:")[2]
    assert set(HEAVY).isdisjoint(loaded.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help(command: Command, name: str) -> None:
    result = command(name, "--help")
    assert result.code == 0
    assert f"drsi-conformance {name}" in result.out


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"drsi-conformance {__version__}\n"


@pytest.mark.parametrize("arguments", [("bogus",), ("--bogus",), ("explain",), ("requirements", "extra")])
def test_a_usage_error_is_exit_code_2(command: Command, arguments: tuple[str, ...]) -> None:
    result = command(*arguments)
    assert result.code == 2
    assert "Error: " in result.err


@pytest.mark.parametrize("arguments", [("--help",), ("requirements",), ("openapi",), ("explain", "2.3")])
def test_a_reader_that_stops_reading_is_no_error(arguments: tuple[str, ...]) -> None:
    reader, writer = socket.socketpair()
    reader.close()
    with writer:
        done = subprocess.run(
            [sys.executable, "-m", "conformance", *arguments],
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_output_without_room_is_said(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full here")
    with full.open("w") as file:
        done = subprocess.run(
            [sys.executable, "-m", "conformance", "openapi"],
            stdout=file,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=tmp_path,
            env={"PYTHONPATH": ":".join(sys.path)},
        )
    assert done.returncode == 2
    assert "cannot be written" in done.stderr


# ------------------------------------------------------------------ requirements, explain, openapi


def test_requirements_lists_them_all(command: Command) -> None:
    lines = command("requirements").out.splitlines()
    assert [line.split()[0] for line in lines] == list(catalogue().rows)


def test_requirements_of_a_clause_as_json(command: Command) -> None:
    rows = json.loads(command("requirements", "--clause", "4.3", "--json").out)
    assert {row["clause"] for row in rows} == {"4.3"}
    assert {"id", "level", "statement", "reading", "remedy", "untestable"} <= set(rows[0])


def test_explain_a_requirement(command: Command) -> None:
    text = command("explain", "4.3-answers-ok").out
    row = catalogue()["4.3-answers-ok"]
    words = " ".join(text.split())
    for part in ("level must", row.statement, row.reading, row.remedy, "test_deleting_a_request_answers_ok", "in 1.2"):
        assert part in words
    assert "broken by delete-answers-204" in words


def test_explain_a_clause(command: Command) -> None:
    text = command("explain", "4.3").out
    assert all(f"{name}\n" in text for name in catalogue().select("4.3"))


def test_explain_a_clause_that_says_again_what_others_say(command: Command) -> None:
    text = command("explain", "1.1").out
    assert text.startswith("Clause 1.1 says again")
    assert "4.5-array\n" in text


def test_explain_what_cannot_be_tested(command: Command) -> None:
    row = next(row for row in catalogue().rows.values() if row.untestable)
    assert row.untestable in " ".join(command("explain", row.id).out.split())


def test_an_explanation_says_that_a_requirement_can_raise_an_alert(command: Command) -> None:
    out = command("explain", "5-isolation").out
    assert "\n  alert     a check may raise an alert; --fail-on 5-isolation makes it count as a failure\n" in out
    assert "  alert " not in command("explain", "4.3-answers-ok").out


def test_every_testable_requirement_has_a_check_in_its_explanation(command: Command) -> None:
    for clause in {row.clause for row in catalogue().rows.values()}:
        for paragraph in command("explain", clause).out.split("\n\n"):
            row = catalogue().rows.get(paragraph.partition("\n")[0])
            assert row is None or row.untestable or "\n  check " in paragraph, paragraph


@pytest.mark.parametrize("arguments", [("explain", "4.3-answer-ok"), ("requirements", "--clause", "4.3-answer-ok")])
def test_an_unknown_id_gets_a_suggestion(command: Command, arguments: tuple[str, ...]) -> None:
    result = command(*arguments)
    assert result.code == 2
    assert "Did you mean 4.3-answers-ok" in result.err


def test_openapi(command: Command, folder: Path) -> None:
    printed = command("openapi").out
    assert json.loads(printed)["openapi"].startswith("3.1")
    assert command("openapi", "--output", "api.json").out == ""
    assert (folder / "api.json").read_text("utf-8") == printed
    result = command("openapi", "--output", "nowhere/api.json")
    assert result.code == 2
    assert "nowhere/api.json cannot be written" in result.err


# ------------------------------------------------------------------ serve


def test_serve_says_where_it_is_and_ends_cleanly(folder: Path) -> None:
    options = ("--json", "--limit", "7", "--data-types", "5", "--path-prefix", "/x", "--languages", "fr,it")
    with Started(folder, "serve", *options) as service:
        service.awaits("base_url", "out")
        ready = json.loads(service.out)
        assert ready["base_url"].endswith("/x")
        settings = httpx.get(ready["base_url"] + "/settings", trust_env=False).json()
        assert settings["maxNumberOfRequests"] == 7
        assert settings["supportedLanaguages"] == ["fr", "it"]
        assert len(httpx.get(ready["base_url"] + "/data", trust_env=False).json()) == 5
        created = httpx.post(
            ready["base_url"] + "/requests", headers={"Authorization": f"Bearer {ready['tokens'][0]}"}, trust_env=False
        )
        assert created.status_code == 200
        service.process.send_signal(2)
        assert service.ended() == 0
        assert service.err == ""


def test_serve_tells_a_person_how_to_check_it(folder: Path) -> None:
    with Started(folder, "serve") as service:
        service.awaits("drsi-conformance check http://127.0.0.1:", "out")
        assert "DRSI_OTHER_TOKEN" in service.out
        service.process.terminate()
        assert service.ended() == 0
        assert service.err == ""


def test_serve_on_a_port_that_is_taken(command: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = command("serve", "--port", str(taken.getsockname()[1]))
    assert result.code == 2
    assert "cannot be listened on" in result.err
    assert "Choose another --port" in result.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--complete-after", "nan"),
        ("--complete-after", "-1"),
        ("--language-selector", "cookie:x"),
        ("--path-prefix", "api"),
        ("--port", "70000"),
        ("--limit", "-1"),
        ("--host", "256.256.256.256"),
    ],
)
def test_serve_with_a_bad_value(command: Command, arguments: tuple[str, ...]) -> None:
    result = command("serve", *arguments)
    assert result.code == 2
    assert result.err.count("Error: ") == 1
    assert "Traceback" not in result.err
