"""Sources of options: the command line, then the environment, then the configuration file."""

from __future__ import annotations

from pathlib import Path

import pytest
from platforms import POSIX_COMMANDS

from conformance.cli.check import command as check_command
from conformance.cli.cleanup import command as cleanup_command
from conformance.cli.config import FILE_NAME
from conformance.cli.options import Options

HERE = "http://127.0.0.1:1/api"

pytestmark = pytest.mark.usefixtures("folder")


def options(*arguments: str) -> Options:
    """Return the options of `check`, with the file that a test wrote."""
    if Path(FILE_NAME).exists():
        arguments = ("--config", FILE_NAME, *arguments)
    with check_command.make_context("check", list(arguments)) as context:
        return Options.of(context)


def configure(text: str, name: str = FILE_NAME) -> None:
    Path(name).write_text(text, "utf-8")


def token_of(found: Options) -> str:
    assert found.user
    return found.user.current()


def test_the_command_line_takes_precedence_over_the_file() -> None:
    configure('base-url = "http://127.0.0.1:2"\nrate = 1\nselect = "4"\nstrict = true\nquiet = true\nseed = 3')
    found = options(HERE, "--rate", "9", "--select", "4.3,4.4", "--no-strict", "--no-quiet", "--seed", "0")
    assert (found.base_url, found.rate, found.select) == (HERE, 9.0, ("4.3", "4.4"))
    assert (found.strict, found.quiet, found.seed) == (False, False, 0)


def test_paths_in_the_file_are_relative_to_the_file() -> None:
    Path("sub").mkdir()
    Path("sub/secret").write_text("abc-defg\n", encoding="utf-8")
    configure('token-file = "secret"\noutput = "out"', "sub/mine.toml")
    found = options(HERE, "--config", "sub/mine.toml")
    assert token_of(found) == "abc-defg"
    assert found.output == Path("sub/out")
    Path("sub/fields").write_text("X-Api-Key: abc\n", encoding="utf-8")
    configure('header = ["X-Stage: b", "@fields"]\nclient-cert = "c.pem"\nproxy = "http://p:1"', "sub/mine.toml")
    found = options(HERE, "--config", "sub/mine.toml")
    assert found.header == (("X-Stage", "b"), ("X-Api-Key", "abc"))
    assert (found.client_cert, found.proxy and found.proxy.address) == (Path("sub/c.pem"), "http://p:1")


@POSIX_COMMANDS
def test_the_environment_comes_between_the_command_line_and_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    configure('token-command = "echo from-the-file"')
    for empty in ("", " "):
        monkeypatch.setenv("DRSI_TOKEN", empty)
        assert token_of(options(HERE)) == "from-the-file"
    monkeypatch.setenv("DRSI_TOKEN", "from-the-environment")
    assert token_of(options(HERE)) == "from-the-environment"
    assert token_of(options(HERE, "--token-command", "echo from-the-line")) == "from-the-line"


def test_the_budget_of_a_run_is_what_its_options_say() -> None:
    given = {"max_created": 7, "max_requests": 300, "max_time": 90.5, "rate": 2.5, "concurrency": 2}
    words = [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]
    selector = "query:filter[a%20b]"
    found = options(HERE, *words, "--await-completion", "20", "--language-selector", selector, "--anonymous")

    target = found.target()
    assert {name: getattr(target.budget, name) for name in given} == given
    assert (target.budget.completion_wait, str(target.language_selector), target.anonymous) == (20, selector, True)
    thorough = options(HERE, "--thorough").target().budget
    assert (thorough.completion_wait, thorough.max_created) == (10, 2_000)

    with cleanup_command.make_context("cleanup", ["run"]) as context:
        assert Options.of(context).max_time is None
    assert options().max_time == 600
