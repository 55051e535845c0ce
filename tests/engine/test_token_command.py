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

from conformance.target import ConfigurationFault, Token
from conformance.traffic import token_command
from conformance.traffic.token_command import NoToken, no_shell, output_of


def python(script: str) -> str:
    return shlex.join([sys.executable, "-S", "-E", "-c", script])


def failing(stderr: str, stdout: str = "") -> str:
    return python(f"import sys; sys.stderr.write({stderr!r}); sys.stdout.write({stdout!r}); sys.exit(3)")


def said_of(command: str, *tokens: str) -> tuple[str, str]:
    with pytest.raises(NoToken) as caught:
        output_of(command, tokens)
    return str(caught.value), caught.value.remedy


def script(folder: Path, text: str, mode: int = 0o755) -> str:
    path = folder / "get-token"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_what_a_command_prints_is_its_output() -> None:
    assert output_of("echo a | b") == "a | b\n"


def test_a_command_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_command, "PATIENCE", 0.05)

    message, remedy = said_of("sleep 600")

    assert message == "sleep took longer than 0.05 s, and was ended."
    assert "without asking anything" in remedy


def test_a_command_that_does_not_exist() -> None:
    assert said_of("no-such-program --flag") == (
        "no-such-program was not found.",
        "Check how it is spelt, or give its whole path.",
    )


@pytest.mark.parametrize(
    ("text", "mode", "words"),
    [
        ("#!/bin/sh\n", 0o644, "may not be run."),
        ("#!/no/such/program\n", 0o755, "names in its first line a program that was not found."),
        ("no program at all", 0o755, "could not be run: Exec format error."),
    ],
)
def test_a_script_that_cannot_be_run(tmp_path: Path, text: str, mode: int, words: str) -> None:
    path = script(tmp_path, text, mode)

    message, remedy = said_of(path)

    assert message == f"{path} {words}"
    assert remedy


def test_a_folder_is_no_command(tmp_path: Path) -> None:
    assert said_of(str(tmp_path))[0] == f"{tmp_path} is a folder."


@pytest.mark.parametrize(
    ("command", "words"),
    [("", "no command"), (" ", "no command"), ("'a", "no closing quotation"), ("a\0b", "null byte")],
)
def test_what_is_no_command(command: str, words: str) -> None:
    message, remedy = said_of(command)

    assert words in message
    assert remedy


def test_a_command_that_fails_is_quoted_with_the_last_line_of_its_standard_error() -> None:
    message, _ = said_of(failing("Reading the settings\nThe OAuth server said invalid_grant.\n\n"))

    assert message.endswith(
        "ended with exit code 3 instead of printing a token; the last line of its standard error is: "
        "The OAuth server said invalid_grant."
    )


def test_a_command_that_fails_without_a_word() -> None:
    assert said_of(failing(""))[0].endswith(
        "exit code 3 instead of printing a token, and said nothing on standard error."
    )


def test_a_command_that_a_signal_ends() -> None:
    assert "was ended by SIGKILL instead" in said_of("sh -c 'kill -9 $$'")[0]


def test_what_a_command_says_is_cut_and_made_printable() -> None:
    message, _ = said_of(failing("\x1b[2J" + "x " * 1000))

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
    message, _ = said_of(failing(stderr, stdout), "earlier")

    assert secret not in message
    assert "[hidden]" in message


@pytest.mark.parametrize(
    ("command", "sign"),
    [
        ("cat token | head -1", "|"),
        ("get-token > /dev/stdout", ">"),
        ("cd x && get-token", "&&"),
        ("cd x; get-token", ";"),
        ("echo $(cat token)", "$("),
        ("echo $TOKEN", "$…"),
        ("echo ${TOKEN}", "${…}"),
        ("get-token --password pa$$w0rdS3cret", "$…"),
        ("get-token --password pa${w0rdS3cret", "${…}"),
        ("~/get-token", "~/"),
        ("USER=me get-token", "USER="),
    ],
)
def test_what_only_a_shell_reads_is_named(command: str, sign: str) -> None:
    assert f"No shell reads the command: {sign} in it" in no_shell(command)


@pytest.mark.parametrize("command", ["get-token --of=me a.b/c", "sh -c 'cat token | head -1'", "/bin/bash -c 'a; b'"])
def test_who_needs_no_shell_or_has_one_is_told_nothing_of_it(command: str) -> None:
    assert no_shell(command) == ""


def test_a_program_is_named_without_the_variables_before_it() -> None:
    message, remedy = said_of("SECRET=hush get-token")

    assert "hush" not in message + remedy
    assert "SECRET= in it" in remedy


@pytest.mark.parametrize(
    "token",
    [
        "eyJhbGciOiJub25lIn0.e30.c2lnbmF0dXJl",
        "abcdefghijklmnopqrstuvwxyzabcdef",
        "0123456789abcdef==",
        "c2VjcmV0c2VjcmV0/c2VjcmV0c2VjcmV0+c2VjcmV0c2VjcmV0==",
        "0123456789abcdef" * 100,
    ],
)
def test_whoever_gives_the_token_for_the_command_does_not_see_it(token: str) -> None:
    message, remedy = said_of(token)

    assert message == "what looks like a token, and is not shown, was not found."
    assert "DRSI_TOKEN" in remedy
    assert token[:8] not in message + remedy


@pytest.mark.parametrize("command", ["./get-token-of-service-2", "/no-such/get-token-of-service-2", "get-token-2"])
def test_what_does_not_look_like_a_token_is_named(command: str) -> None:
    assert said_of(command)[0] == f"{command} was not found."


def test_a_program_that_looks_like_a_token_and_is_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scripts").mkdir()
    script(tmp_path / "scripts", "#!/bin/sh\nexit 3\n")
    (tmp_path / "scripts" / "get-token").rename(tmp_path / "scripts" / "get-token-of-service-2")

    assert said_of("scripts/get-token-of-service-2")[0].startswith(
        "scripts/get-token-of-service-2 ended with exit code 3"
    )


def test_a_program_in_a_folder_that_may_not_be_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("subprocess.Popen", refused)
    monkeypatch.setattr("os.stat", refused)

    message, remedy = said_of("/private/get-token")

    assert message == "/private/get-token may not be run."
    assert "entered" in remedy


@pytest.mark.parametrize("command", ["true", "echo two words"])
def test_a_command_that_prints_no_token_is_named_with_what_to_do(command: str) -> None:
    with pytest.raises(ConfigurationFault) as caught:
        Token(command=command, name="--other-token-command").current()

    assert str(caught.value).startswith("--other-token-command: its output ")
    assert caught.value.remedy == "Have it print the access token and nothing else."


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

    with pytest.raises(ConfigurationFault, match="was ended by SIGINT"):
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

    assert "took longer" in said_of(f"sh -c '(echo begun; exec sleep 60) > {shlex.quote(str(fifo))} & wait'")[0]

    with held[0] as pipe:
        # At its end it can be read as soon as nobody is left to write to it.
        assert select.select([pipe], [], [], 20)[0] == [pipe]
        assert pipe.read() == b""
