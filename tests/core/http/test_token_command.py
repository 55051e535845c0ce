"""Token commands: the output is the token, a failure is reported, and no secret appears in a message."""

from __future__ import annotations

import os
import select
import shlex
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest
from platforms import POSIX_COMMANDS

from conformance.http import commands
from conformance.http.commands import Command
from conformance.http.renewed_tokens import REMEDY, CommandToken
from conformance.model.errors import ConfigurationFault

pytestmark = POSIX_COMMANDS

SECRET = "eyJhbGciOiJub25lIn0.e30"


def message_of(command: str) -> str:
    with pytest.raises(ConfigurationFault) as caught:
        CommandToken(command).current()
    return str(caught.value).removeprefix("The token command: ")


def script(folder: Path, text: str, mode: int = 0o755) -> str:
    path = folder / "get-token"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_values_stay_one_word_of_a_command() -> None:
    command = Command("printf '[%s]' --id={requestId} {requestId}")

    assert command.output({"{requestId}": "a 'b' $(c)"}) == "[--id=a 'b' $(c)][a 'b' $(c)]"


def test_a_command_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "PATIENCE", 0.05)

    assert message_of("sleep 600") == "the command took longer than 0.05 s."


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("", "could not be started: "),
        (f"{SECRET} --flag", "could not be started: No such file"),
        (f"'{SECRET}", "could not be started: No closing quotation"),
        (f"sh -c 'echo {SECRET}; echo {SECRET} >&2; exit 3'", "failed with exit code 3."),
        ("sh -c 'kill -9 $$'", "was ended by signal 9."),
    ],
)
def test_a_command_that_fails_is_reported_without_its_words_and_its_output(
    command: str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert message_of(command).startswith(f"the command {reason}")
    assert SECRET not in message_of(command)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("command", ["true", "echo two words"])
def test_an_output_that_is_no_token_names_the_option(command: str) -> None:
    with pytest.raises(ConfigurationFault) as caught:
        CommandToken(command, name="--other-token-command").current()

    assert str(caught.value).startswith("--other-token-command: its output ")
    assert caught.value.remedy == REMEDY


def test_a_command_that_failed_once_is_not_run_again(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    token = CommandToken(script(tmp_path, f"#!/bin/sh\necho run >> {shlex.quote(str(runs))}\nexit 3\n"))

    for _ in range(2):
        with pytest.raises(ConfigurationFault, match="exit code 3") as caught:
            token.current()
        assert caught.value.remedy

    assert runs.read_text() == "run\n"


def test_signals_to_the_suite_do_not_reach_a_command() -> None:
    own_session = "import os; print(os.getsid(0) == os.getpgid(0) == os.getpid())"
    assert CommandToken(shlex.join([sys.executable, "-S", "-E", "-c", own_session])).current() == "True"


def test_processes_that_a_command_started_end_with_it_when_it_takes_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(fifo := tmp_path / "fifo")
    held: list[IO[bytes]] = []

    class Late(subprocess.Popen[bytes]):
        """Takes too long as soon as the process that it started has begun."""

        def communicate(self, *_: object, **__: object) -> Any:
            held.append(fifo.open("rb", buffering=0))
            assert held[0].readline() == b"begun\n"
            raise subprocess.TimeoutExpired("sh", 60)

    monkeypatch.setattr("subprocess.Popen", Late)

    assert "took longer" in message_of(f"sh -c '(echo begun; exec sleep 600) > {shlex.quote(str(fifo))} & wait'")

    with held[0] as pipe:
        # The pipe becomes readable, at its end, when no process is left that could write to it.
        assert select.select([pipe], [], [], 120)[0] == [pipe]
        assert pipe.read() == b""
