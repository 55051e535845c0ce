"""Where a setting comes from: the command line, then the environment, then the configuration file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from cli_tools import OTHER_TOKEN, TOKEN, served
from conftest import Command

from conformance.cli.check import command as check_command
from conformance.cli.config_file import KINDS
from conformance.cli.failure import Failure
from conformance.cli.settings import Settings, gather
from conformance.cli.target import named_target

HERE = "http://127.0.0.1:1/api"

pytestmark = pytest.mark.usefixtures("folder")


def settings(*arguments: str) -> Settings:
    context = check_command.make_context("check", list(arguments))
    return gather(context.params)


def configure(text: str, name: str = "drsi-conformance.toml") -> None:
    Path(name).write_text(text, "utf-8")


def token_of(settings: Settings) -> str:
    assert settings.user
    return settings.user.current()


def test_nothing_said() -> None:
    found = settings()
    assert (found.base_url, found.profile, found.seed, found.strict, found.quiet) == (None, "full", 0, False, False)
    assert (found.user, found.other, found.config) == (None, None, None)
    assert (found.fail_on, found.await_completion) == ((), None)


def test_everything_in_the_file() -> None:
    configure(
        f"""
base-url = "{HERE}/"
profile = "public"
select = ["4.3", "4.4, 4.5"]
deselect = "4.5"
strict = true
language_selector = "query:lang"
empty-account = true
thorough = true
max_created = 7
max_requests = 300
concurrency = 2
timeout = 5
rate = 2.5
seed = 11
output = "out"
format = ["json"]
html-log = "log.html"
ca-file = "ca.pem"
quiet = true
token-command = "echo abc"
max-time = 90.5
await-completion = 20
fail-on = ["5-isolation, 5-token-in-query", "alerts"]
"""
    )
    found = settings()
    assert found.base_url == HERE
    assert (found.max_time, found.await_completion) == (90.5, 20.0)
    assert found.fail_on == ("5-isolation", "5-token-in-query", "alerts")
    assert found.profile == "public"
    assert found.select == ("4.3", "4.4", "4.5")
    assert found.deselect == ("4.5",)
    assert str(found.language_selector) == "query:lang"
    assert (found.strict, found.empty_account, found.quiet) == (True, True, True)
    assert (found.thorough, found.max_requests, found.concurrency) == (True, 300, 2)
    assert (found.max_created, found.timeout, found.rate, found.seed) == (7, 5.0, 2.5, 11)
    assert (found.output, found.html_log, found.ca_file) == (Path("out"), Path("log.html"), Path("ca.pem"))
    assert found.formats == ("json",)
    assert token_of(found) == "abc"


def test_the_command_line_counts_before_the_file() -> None:
    configure('base-url = "http://127.0.0.1:2"\nrate = 1\nselect = "4"\nstrict = true\nquiet = true\nseed = 3')
    found = settings(HERE, "--rate", "9", "--select", "4.3,4.4", "--no-strict", "--no-quiet", "--seed", "0")
    assert (found.base_url, found.rate, found.select) == (HERE, 9.0, ("4.3", "4.4"))
    assert (found.strict, found.quiet, found.seed) == (False, False, 0)


@pytest.mark.parametrize(
    ("options", "seconds"),
    [
        ((), 0.0),
        (("--thorough",), 10.0),
        (("--await-completion", "2.5"), 2.5),
        (("--thorough", "--await-completion", "0"), 0.0),
    ],
)
def test_how_long_a_run_waits_for_a_request_to_complete(options: tuple[str, ...], seconds: float) -> None:
    assert named_target(settings(HERE, *options)).budget.completion_wait == seconds


def test_paths_of_the_file_are_taken_from_its_folder() -> None:
    Path("sub").mkdir()
    Path("sub/secret").write_text("abc\n")
    configure('token-file = "secret"\noutput = "out"', "sub/mine.toml")
    found = settings(HERE, "--config", "sub/mine.toml")
    assert token_of(found) == "abc"
    assert found.output == Path("sub/out")


def test_the_environment_counts_before_the_file_and_after_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    configure('token-command = "echo from-the-file"')
    assert token_of(settings(HERE)) == "from-the-file"
    monkeypatch.setenv("DRSI_TOKEN", "from-the-environment")
    assert token_of(settings(HERE)) == "from-the-environment"
    assert token_of(settings(HERE, "--token-command", "echo from-the-line")) == "from-the-line"


def test_an_empty_variable_is_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRSI_TOKEN", " ")
    assert settings(HERE).user is None


@pytest.mark.parametrize("prefix", ["token", "other-token"])
def test_one_token_in_two_ways_is_refused(prefix: str) -> None:
    with pytest.raises(Failure, match=f"--{prefix} and --{prefix}-file"):
        settings(HERE, f"--{prefix}", "abc", f"--{prefix}-file", "x")
    configure(f'{prefix}-file = "x"\n{prefix}-command = "y"')
    with pytest.raises(Failure, match=f"{prefix}-file in drsi-conformance.toml and {prefix}-command"):
        settings(HERE)


@pytest.mark.parametrize(("content", "words"), [(b"", "is empty"), (b"a b", "holds characters"), (b"\xff", "no text")])
def test_a_token_file_that_is_no_use(content: bytes, words: str) -> None:
    Path("secret").write_bytes(content)
    with pytest.raises(Failure, match=words) as caught:
        settings(HERE, "--token-file", "secret")
    assert "--token-file" in caught.value.message


@pytest.mark.parametrize(
    ("script", "words"),
    [("import sys; sys.exit(3)", "exit code 3"), ("", "is empty"), ("print('two words')", "holds characters")],
)
def test_a_token_command_that_gives_no_token(command: Command, script: str, words: str) -> None:
    Path("script.py").write_text(script)
    with served() as service:
        result = command("check", service.base_url, "--token-command", f"{sys.executable} script.py")
    assert result.code == 2
    assert words in result.err
    assert not Path("reports").exists()


@pytest.mark.parametrize("name", ["check", "doctor"])
@pytest.mark.parametrize("option", ["--token-command", "--other-token-command"])
def test_who_gave_a_command_that_gives_no_token_is_told_what_to_do(command: Command, name: str, option: str) -> None:
    with served() as service:
        options = {"--token-command": f"echo {TOKEN}", option: "no-such-program | head"}
        result = command(name, service.base_url, *(part for each in options.items() for part in each))
    assert result.code == 2
    lines = result.err.splitlines()
    start = lines.index(f"Error: {option}: the command does not begin with a program that was found and may be run.")
    assert lines[start + 1] == "  blame  configuration"
    assert lines[start + 2].startswith("  to do  Run the command by itself")


def test_tokens_from_commands_and_files_are_used(command: Command) -> None:
    Path("script.py").write_text(f"print({TOKEN!r})")
    Path("other").write_text(f"{OTHER_TOKEN}\n")
    with served() as service:
        options = ("--token-command", f"{sys.executable} script.py", "--other-token-file", "other")
        result = command("doctor", service.base_url, *options)
    assert result.code == 0, result.out
    assert "accepted, another user" in result.out
    assert result.err == ""


def test_every_option_of_check_is_a_key_and_every_key_an_option() -> None:
    names: set[Any] = {parameter.name.replace("_", "-") for parameter in check_command.params if parameter.name}
    assert names - {"config", "debug", "plan", "token", "other-token"} == set(KINDS)
