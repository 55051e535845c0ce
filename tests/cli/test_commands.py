"""The commands beside check, and the command as a whole."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from cli_services import Command, Started

from conformance import __version__
from conformance.calibration.faults import FAULTS
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import find_variant
from conformance.model.requirements import catalogue
from conformance.reference.server import Ready

COMMANDS = ("check", "reproduce", "doctor", "serve", "requirements", "explain", "openapi", "selftest")
HEAVY = ("httpx", "rich", "pytest", "jsonschema", "jinja2", "uvicorn", "starlette", "h11")
FAULT = "settings-terms-of-service-absent"


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


@pytest.mark.parametrize("arguments", [(), ("bogus",), ("--bogus",), ("explain",), ("requirements", "extra")])
def test_a_usage_error_is_exit_code_2(command: Command, arguments: tuple[str, ...]) -> None:
    result = command(*arguments)
    assert (result.code, result.out) == (2, "")
    assert "Usage: drsi-conformance" in result.err


@pytest.mark.parametrize("arguments", [("--help",), ("requirements",)])
def test_a_reader_that_stops_reading_is_no_error(arguments: tuple[str, ...]) -> None:
    reader, writer = socket.socketpair()
    reader.close()
    with writer:
        done = subprocess.run(
            [sys.executable, "-m", "conformance", *arguments], stdout=writer, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_an_error() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "conformance", "openapi"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "Error: the output cannot be written: No space left on device.\n"


# ------------------------------------------------------------------ requirements, explain, openapi


def test_requirements_lists_them_all(command: Command) -> None:
    lines = command("requirements").out.splitlines()
    assert [line.split()[0] for line in lines] == list(catalogue().rows)


def test_requirements_of_a_clause_as_json(command: Command) -> None:
    rows = json.loads(command("requirements", "--clause", "4.3", "--json").out)
    assert {row["clause"] for row in rows} == {"4.3"}
    assert {"id", "level", "statement", "reading", "remedy", "untestable"} <= set(rows[0])


def test_explain_a_requirement(command: Command) -> None:
    words = " ".join(command("explain", "4.3-answers-ok").out.split())
    row = catalogue()["4.3-answers-ok"]
    for part in ("level must", row.statement, row.reading, row.remedy, "test_deleting_a_request_answers_ok", "in 1.2"):
        assert part in words
    assert "violated by delete-answers-204" in words
    assert " alert " not in words
    assert "--fail-on 5-isolation makes it count as a failure" in command("explain", "5-isolation").out


def test_explain_a_clause_that_restates_others(command: Command) -> None:
    text = command("explain", "1.1").out
    assert text.startswith("Clause 1.1 restates")
    assert "4.5-array\n" in text


def test_every_requirement_is_explained_with_a_check_or_a_reason(command: Command) -> None:
    for clause in {row.clause.partition(".")[0] for row in catalogue().rows.values()}:
        paragraphs = {text.partition("\n")[0]: text for text in command("explain", clause).out.split("\n\n")}
        for name in catalogue().select(clause):
            why = catalogue()[name].untestable
            assert why in " ".join(paragraphs[name].split()) if why else "\n  check " in paragraphs[name]


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


def test_serve_prints_its_address_and_ends_cleanly(folder: Path) -> None:
    options = ("--json", "--limit", "7", "--data-types", "5", "--path-prefix", "/x", "--languages", "fr,it")
    with Started(folder, "serve", *options) as service:
        service.awaits("base_url", "out")
        ready = json.loads(service.out)
        assert ready["base_url"].endswith("/x")
        settings = httpx.get(ready["base_url"] + "/settings", trust_env=False).json()
        assert settings["maxNumberOfRequests"] == 7
        assert settings["supportedLanaguages"] == ["fr", "it"]
        assert len(httpx.get(ready["base_url"] + "/data", trust_env=False).json()) == 5
        token = {"Authorization": f"Bearer {ready['tokens'][0]}"}
        assert httpx.post(ready["base_url"] + "/requests", headers=token, trust_env=False).status_code == 200
        service.process.send_signal(2)
        assert service.ended() == 0
        assert service.err == ""


@pytest.mark.parametrize("number", [0, 1, 2])
def test_serve_tells_how_to_check_it(command: Command, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    ready = Ready("http://127.0.0.1:1/x", ("first-token", "second token")[:number])
    monkeypatch.setattr("conformance.reference.server.serve", lambda *_, on_ready, **__: on_ready(ready))

    out = command("serve").out

    assert ("DRSI_TOKEN=first-token " in out) is (number > 0)
    assert ("DRSI_OTHER_TOKEN='second token' " in out) is (number > 1)
    assert "drsi-conformance check http://127.0.0.1:1/x" in out


def test_serve_on_a_port_that_is_taken(command: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = command("serve", "--port", str(taken.getsockname()[1]))
    assert result.code == 2
    assert "is not available" in result.err
    assert "Choose another --port" in result.err


@pytest.mark.parametrize("option", ["--list-faults", "--list-twins"])
def test_every_fault_and_twin_is_listed(command: Command, option: str) -> None:
    result = command("serve", option)

    assert result.code == 0
    assert all(f"  {name}: " in result.out for name in FAULTS)
    assert all(f"  {twin.name} ({twin.clause}): " in result.out for twin in TWINS.values())
    assert all(f"\n{fault.requirement}\n" in result.out for fault in FAULTS.values())


@pytest.mark.parametrize(("option", "name"), [("--fault", FAULT), ("--twin", "served-at-the-root")])
def test_a_variant_is_served(command: Command, monkeypatch: pytest.MonkeyPatch, option: str, name: str) -> None:
    served = []
    monkeypatch.setattr("conformance.reference.server.serve", lambda _, service, **__: served.append(service))

    assert command("serve", option, name).code == 0

    assert served == [find_variant(name).service]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--fault", f"{FAULT}s"), f"Did you mean {FAULT}"),
        (("--fault", "served-at-the-root"), "Invalid value for --fault: 'served-at-the-root' is not known"),
        (("--twin", "bogus"), "--list-faults"),
        (("--fault", FAULT, "--twin", "served-at-the-root"), "exclude each other"),
        (("--complete-after", "nan"), "--complete-after"),
        (("--complete-after", "-1"), "--complete-after"),
        (("--language-selector", "cookie:x"), "language_selector"),
        (("--path-prefix", "api"), "path_prefix"),
        (("--port", "70000"), "--port"),
        (("--limit", "-1"), "--limit"),
        (("--host", "256.256.256.256"), "256.256.256.256"),
    ],
)
def test_serve_with_a_bad_value(command: Command, arguments: tuple[str, ...], message: str) -> None:
    result = command("serve", *arguments)
    assert result.code == 2
    assert result.err.count("Error: ") == 1
    assert message in result.err
    assert "Traceback" not in result.err
