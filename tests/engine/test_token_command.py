"""What is said of a command that gives no token, and that it shows none."""

from __future__ import annotations

import os
import select
import shlex
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest

from conformance.model.findings import ConfigurationFault
from conformance.model.target import Token
from conformance.traffic import token_command
from conformance.traffic.token_command import REMEDY, NoToken, output_of


def python(script: str) -> str:
    return shlex.join([sys.executable, "-S", "-E", "-c", script])


def failing(stderr: str, stdout: str = "") -> str:
    return python(f"import sys; sys.stderr.write({stderr!r}); sys.stdout.write({stdout!r}); sys.exit(3)")


def said_of(command: str, *tokens: str) -> str:
    with pytest.raises(NoToken) as caught:
        output_of(command, tokens)
    return str(caught.value)


def script(folder: Path, text: str, mode: int = 0o755) -> str:
    path = folder / "get-token"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_what_a_command_prints_is_its_output() -> None:
    assert output_of("echo a | b") == "a | b\n"


def test_a_command_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_command, "PATIENCE", 0.05)

    assert said_of("sleep 600") == "sleep took longer than 0.05 s, and was ended."


@pytest.mark.parametrize("command", ["", " ", "eyJhbGciOiJub25lIn0.e30 --flag", "a\0b", "/tmp", "SECRET=x get-token"])
def test_what_is_no_program_is_not_shown(command: str) -> None:
    assert said_of(command) == "the command does not begin with a program that was found and may be run."


def test_quotes_that_are_not_closed() -> None:
    assert "no closing quotation" in said_of("'a")


def test_a_script_that_cannot_be_run(tmp_path: Path) -> None:
    assert "may be run" in said_of(script(tmp_path, "#!/bin/sh\n", 0o644))
    assert said_of(script(tmp_path, "no program at all")) == "get-token could not be run: Exec format error."


def test_a_command_that_fails_is_quoted_with_the_last_line_of_its_standard_error() -> None:
    message = said_of(failing("Reading the settings\nThe OAuth server said invalid_grant.\n\n"))

    assert message.endswith(
        "ended with exit code 3; the last line of its standard error is: The OAuth server said invalid_grant."
    )


def test_a_command_that_fails_without_a_word() -> None:
    assert said_of(failing("")).endswith("exit code 3; the last line of its standard error is: empty")


def test_a_command_that_a_signal_ends() -> None:
    assert said_of("sh -c 'kill -9 $$'") == "sh was ended by signal 9 instead of printing a token."


def test_what_a_command_says_is_cut_and_made_printable() -> None:
    message = said_of(failing("\x1b[2J" + "x " * 1000))

    assert "\x1b" not in message
    assert "\\x1b[2Jx x x" in message
    assert len(message) < 500


@pytest.mark.parametrize(
    ("stderr", "stdout", "secret"),
    [
        ("got Zz-4711-short", "Zz-4711-short", "4711"),
        ("got abcdef", '{"access_token":"abcdef"}', "abcdef"),
        ("got ABCDEF", "abcdef", "ABCDEF"),
        ("got earlier", "", "earlier"),
        ("+ curl -d client_secret=hush https://auth.example", "", "hush"),
        ('{"access_token": "hush", "x": 1}', "", "hush"),
        ("Authorization: Bearer hush", "", "hush"),
        ("refused eyJhbGciOiJub25lIn0.e30.c2lnbmF0dXJl", "", "e30"),
        ("refused 0123456789abcdef0123456789abcdef", "", "abcdef"),
        ("refused 'abcDEF123456.SECRETEXP'", "", "SECRET"),
    ],
)
def test_no_token_shows_of_what_a_command_says(stderr: str, stdout: str, secret: str) -> None:
    message = said_of(failing(stderr, stdout), "earlier")

    assert secret not in message
    assert "[hidden]" in message


@pytest.mark.parametrize("command", ["true", "echo two words"])
def test_a_command_that_prints_no_token_is_named_with_what_to_do(command: str) -> None:
    with pytest.raises(ConfigurationFault) as caught:
        Token(command=command, name="--other-token-command").current()

    assert str(caught.value).startswith("--other-token-command: its output ")
    assert caught.value.remedy == REMEDY


def test_a_command_that_failed_once_is_not_run_again(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    token = Token(command=script(tmp_path, f"#!/bin/sh\necho run >> {shlex.quote(str(runs))}\nexit 3\n"))

    for _ in range(2):
        with pytest.raises(ConfigurationFault, match="exit code 3") as caught:
            token.current()
        assert caught.value.remedy

    assert runs.read_text() == "run\n"


def test_the_end_of_a_command_by_a_signal_does_not_stand(tmp_path: Path) -> None:
    ended = shlex.quote(f"mkdir {shlex.quote(str(tmp_path / 'run'))} && kill -INT $$; echo a-token")
    token = Token(command=f"sh -c {ended}")

    with pytest.raises(ConfigurationFault, match="was ended by signal 2"):
        token.current()

    assert token.current() == "a-token"


def test_signals_to_the_suite_and_what_it_started_do_not_reach_a_command() -> None:
    assert output_of(python("import os; print(os.getsid(0) == os.getpgid(0) == os.getpid())")) == "True\n"


def test_what_a_command_started_ends_with_it_when_it_takes_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(fifo := tmp_path / "fifo")
    held: list[IO[bytes]] = []

    class Late(subprocess.Popen[bytes]):
        """Takes too long as soon as what it started has begun."""

        def communicate(self, *_: object, **__: object) -> Any:
            held.append(fifo.open("rb", buffering=0))
            assert held[0].readline() == b"begun\n"
            raise subprocess.TimeoutExpired("sh", 60)

    monkeypatch.setattr("subprocess.Popen", Late)

    assert "took longer" in said_of(f"sh -c '(echo begun; exec sleep 60) > {shlex.quote(str(fifo))} & wait'")

    with held[0] as pipe:
        # At its end it can be read as soon as nobody is left to write to it.
        assert select.select([pipe], [], [], 20)[0] == [pipe]
        assert pipe.read() == b""
