"""`init`: a configuration file that works, mentions every key, and holds nothing of the service but text."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import click
import pytest
import yaml
from cli_services import Command, served
from platforms import SYMBOLIC_LINKS

from conformance.cli import config
from conformance.cli.check import command as check_command
from conformance.cli.init import GROUPS
from conformance.reference.call import Call
from conformance.reference.service import Service

FILE = Path("drsi-conformance.toml")
EXAMPLES = [(key, value) for group in GROUPS.values() for key, value in group.items()]

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.usefixtures("tokens")
def test_the_files_have_what_was_found_and_the_address_of_the_service(command: Command, folder: Path) -> None:
    with served(max_requests=80) as service:
        result = command("init", service.base_url, "--github", "--gitlab")
        assert result.code == 0, result.err
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
    assert "clocks: that of the service is" in result.out
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
    assert {key for key, _ in EXAMPLES} == set(config.keys(check_command))
    for key, option in config.keys(check_command).items():
        words = (getattr(option, "help", None) or "The address of the service").split()[:4]
        assert " ".join(words) in " ".join(text.split()), key
    assert max(map(len, text.splitlines())) <= 120

    FILE.write_text(re.sub("(?m)^#([a-z-]+ = )", r"\1", text), "utf-8")
    with click.Context(check_command) as context:
        assert config.load(context, check_command.params[0], FILE) == FILE
        assert context.default_map is not None
        assert len(context.default_map) == len(EXAMPLES)


def test_a_file_is_replaced_only_by_force(command: Command, folder: Path) -> None:
    FILE.write_text("mine", "utf-8")
    result = command("init", "--github")
    assert (result.code, "exists, and is not overwritten" in result.err) == (2, True)
    assert [path.name for path in folder.iterdir()] == [FILE.name]
    assert FILE.read_text("utf-8") == "mine"
    assert command("init", "--force").code == 0
    assert "base-url" in FILE.read_text("utf-8")


@SYMBOLIC_LINKS
def test_a_link_that_leads_nowhere_is_not_followed(command: Command, folder: Path) -> None:
    FILE.symlink_to(folder / "elsewhere")
    assert command("init").code == 2
    assert command("init", "--force").code == 0
    assert (FILE.is_symlink(), (folder / "elsewhere").exists()) == (False, False)


def test_the_text_of_a_service_cannot_become_a_key(command: Command) -> None:
    class Hostile(Service):
        def settings(self, call: Call) -> object:
            evil = "en\ntoken-command = 'evil'\r\u2028token-command = 'evil'\x1b[2J"
            return {**super().settings(call), "supportedLanaguages": [evil], "maxNumberOfRequests": evil}

    with served(Hostile) as service:
        result = command("init", service.base_url)

    assert (result.code, "\x1b" in result.out) == (0, False)
    assert set(tomllib.loads(FILE.read_text("utf-8"))) <= {"base-url", "language-selector", "max-created", "set"}
