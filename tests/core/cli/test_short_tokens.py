"""A token that no search can remove from a record is refused before a run, from wherever it comes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from cli_services import OTHER_TOKEN, TOKEN, Command, Result, listening

from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User

NOWHERE = "http://127.0.0.1:9/api"


def _is_refused(result: Result, source: str, *more: str) -> None:
    assert result.code == 2, result
    for words in (f"{source} cannot be removed from the record of a run: ", "give --allow-short-token", *more):
        assert words in result.err, result


@pytest.mark.parametrize("token", ["1", "secret7", "request", "Unauthorized", "requestId", "application/json"])
@pytest.mark.usefixtures("folder")
def test_it_is_refused_before_the_service_is_contacted(
    command: Command, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("DRSI_TOKEN", token)

    _is_refused(command("check", NOWHERE), "DRSI_TOKEN", "The service was not contacted.")


@pytest.mark.parametrize("name", ["DRSI_OTHER_TOKEN", "DRSI_EXPIRED_TOKEN", "DRSI_FOREIGN_TOKEN"])
@pytest.mark.usefixtures("tokens")
def test_each_token_of_a_run_is_looked_at(command: Command, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "short")

    _is_refused(command("check", NOWHERE), name)


@pytest.mark.parametrize("words", [["check"], ["doctor"], ["witness", "run"]])
def test_each_command_refuses_a_file(command: Command, run: Path, words: list[str]) -> None:
    (run.parent / "token").write_text("short\n")

    _is_refused(command(*words, "--token-file", "token", NOWHERE), "--token-file")


def test_a_clean_up_refuses_it(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [{"event": "begin", "base_url": NOWHERE, "started": "2026-01-31", "host": "here", "process": "1"}]
    lines += [{"event": "intend", "credential": "user"}]
    lines += [{"event": "created", "id": "4c1d9be6-5f5c-4f3a-9a43-3f2b7a9d1c11", "credential": "user"}]
    (folder / "journal.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    monkeypatch.setenv("DRSI_TOKEN", "short")

    _is_refused(command("cleanup", "journal.jsonl", NOWHERE), "DRSI_TOKEN")


@pytest.mark.usefixtures("folder")
def test_what_a_command_prints_is_refused_when_it_is_known(command: Command) -> None:
    config = ReferenceConfig(users=(User("alice.example", "short"), User("bob.example", OTHER_TOKEN)))
    with listening(build_app(config)) as origin:
        base_url = f"{origin}{config.path_prefix}"
        prints = f"--token-command={sys.executable} -c 'print(\"short\")'"

        _is_refused(command("doctor", prints, base_url), "--token-command: its output")
        allowed = command("doctor", prints, "--allow-short-token", base_url)

    assert (allowed.code, "ok       token: accepted" in allowed.out) == (0, True), allowed


@pytest.mark.usefixtures("tokens")
def test_a_long_token_is_not_refused(command: Command) -> None:
    assert len(TOKEN) > 8
    assert "cannot be removed" not in command("doctor", NOWHERE).err
