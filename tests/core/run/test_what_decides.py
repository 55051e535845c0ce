"""What would decide a requirement: each option that such a text names exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import click

from conformance.cli import command_group
from conformance.model.requirements import catalogue

ROOMS = ("http", "judge", "model", "run", "scenarios")
"""The folders whose texts a report of a run shows."""

OF_CURL = {"--cacert", "--cert", "--compressed", "--data-binary"}


def options_of(command: click.Command) -> Iterator[str]:
    """Yield the options of a command and of the commands below it."""
    yield from (name for each in command.params for name in (*each.opts, *each.secondary_opts))
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        yield from options_of(inner)


def remedies() -> Iterator[str]:
    """Yield the texts of the catalogue and of the code that can be a remedy, or a part of one."""
    yield from (row.remedy for row in catalogue().rows.values())
    yield from catalogue().decided_by.values()
    for path in (each for room in ROOMS for each in Path(str(files("conformance") / room)).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                yield node.value


def test_an_option_that_a_remedy_names_exists() -> None:
    named = {option for text in remedies() for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)}

    assert named >= {"--max-created", "--max-time", "--token-command"}
    assert named - {*options_of(command_group())} == OF_CURL
