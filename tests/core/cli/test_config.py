"""Sources of options: the command line, then the environment, then the configuration file, which `init` writes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import click
import pytest
import yaml
from cli_services import Command, served
from platforms import POSIX_COMMANDS, SYMBOLIC_LINKS

from conformance.cli import config
from conformance.cli.check import command as check_command
from conformance.cli.cleanup import command as cleanup_command
from conformance.cli.config import FILE_NAME
from conformance.cli.init import example
from conformance.cli.options import Options
from conformance.reference.call import Call
from conformance.reference.service import Service

FILE = Path(FILE_NAME)
EXAMPLES = [(key, example(option)) for key, option in config.keys().items()]

HERE = "http://127.0.0.1:1/api"

pytestmark = pytest.mark.usefixtures("folder")


def options(*arguments: str) -> Options:
    """Return the options of `check`, with the file that a test wrote."""
    if FILE.exists():
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


# ------------------------------------------------------------------ init


@pytest.mark.usefixtures("tokens")
def test_the_files_have_what_was_found_and_the_address_of_the_service(command: Command, folder: Path) -> None:
    with served(max_requests=80) as service:
        result = command("init", service.base_url, "--github", "--gitlab", "--header", "X-Key: secret-of-a-gateway")
        assert (result.code, "secret-of-a-gateway" in FILE.read_text("utf-8")) == (0, False), result.err
        made = list(service.calls)
        run = command("check", "--quiet", "--output", "out", only=("4.4-answers-200",))

    assert {call.operation for call in made} <= {"getSettings", "getData"}
    assert (len(made) < 30, any(call.authorization for call in made)) == (True, False)
    written = tomllib.loads(FILE.read_text("utf-8"))
    assert written == {
        "base-url": service.base_url,
        "language-selector": "header:Accept-Language",
        "max-created": 420,
        "set": "2026-1",
    }
    assert "maxNumberOfRequests is 80, for which 420 are enough" in FILE.read_text("utf-8")
    assert "clocks: they differ by less than" in result.out
    assert run.code == 0, run.out + run.err
    assert f'"base_url": "{service.base_url}"' in Path("out/report.json").read_text("utf-8")

    github = yaml.safe_load((folder / ".github/workflows/conformance.yml").read_text("utf-8"))
    gitlab = yaml.safe_load((folder / ".gitlab/conformance.yml").read_text("utf-8"))
    assert github["jobs"]["conformance"]["steps"][1]["with"]["base-url"] == service.base_url
    assert gitlab["conformance"]["variables"]["BASE_URL"] == service.base_url
    assert "include: .gitlab/conformance.yml" in result.out


def test_every_key_is_mentioned_with_what_it_decides_and_a_value_that_is_accepted(command: Command) -> None:
    assert command("init").code == 0

    text = FILE.read_text("utf-8")
    assert tomllib.loads(text) == {}
    assert re.findall(r"^#([a-z-]+) = ", text, re.MULTILINE) == [key for key, _ in EXAMPLES]
    for key, option in config.keys().items():
        words = (getattr(option, "help", None) or "The address of the service").split()[:4]
        assert " ".join(words) in " ".join(text.split()), key
    assert max(map(len, text.splitlines())) <= 120

    FILE.write_text(re.sub("(?m)^#([a-z-]+ = )", r"\1", text), "utf-8")
    with click.Context(check_command) as context:
        assert config.load(context, check_command.params[0], FILE) == FILE
        assert context.default_map is not None
        assert len(context.default_map) == len(EXAMPLES)


@SYMBOLIC_LINKS
def test_no_file_is_replaced_and_no_link_followed(command: Command, folder: Path) -> None:
    FILE.write_text("mine", "utf-8")
    result = command("init", "--github")
    assert (result.code, "exists, and is not overwritten" in result.err) == (2, True)
    assert [path.name for path in folder.iterdir()] == [FILE.name]
    assert FILE.read_text("utf-8") == "mine"

    FILE.unlink()
    FILE.symlink_to(folder / "elsewhere")
    assert command("init").code == 2
    assert (folder / "elsewhere").exists() is False


def test_the_text_of_a_service_cannot_become_a_key(command: Command) -> None:
    class Hostile(Service):
        def settings(self, call: Call) -> object:
            evil = "en\ntoken-command = 'evil'\r\u2028token-command = 'evil'\x1b[2J"
            return {**super().settings(call), "supportedLanaguages": [evil], "maxNumberOfRequests": evil}

    with served(Hostile) as service:
        result = command("init", service.base_url)

    assert (result.code, "\x1b" in result.out) == (0, False)
    assert set(tomllib.loads(FILE.read_text("utf-8"))) <= {"base-url", "language-selector", "max-created", "set"}
