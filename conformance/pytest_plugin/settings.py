"""The settings of the plugin: options of `check`, each an option of pytest and a key of the user's pytest.ini."""

from __future__ import annotations

import copy
import re
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

from conformance import NAME
from conformance.cli.check import command as check
from conformance.cli.option import PYTEST, places_of


def declare(parser: pytest.Parser) -> None:
    """Declare all settings."""
    group = parser.getgroup("drsi", "checks of the Data Request Service Interface (conformance.checks)")
    for option in _settings():
        flag: dict[str, Any] = {"action": "store_true", "default": None}
        text = {"metavar": option.metavar} | ({"action": "append"} if option.multiple else {})
        group.addoption(option.opts[0], help=_help(option), **(flag if option.is_flag else text))
        kind = "bool" if option.is_flag else "linelist" if option.multiple else "string"
        parser.addini(_key(option), f"As {option.opts[0]}: {_help(option)}", type=kind, default=None)  # type: ignore[arg-type]
    group.addoption(
        "--drsi-evidence",
        metavar="RUN",
        type=Path,
        help="A recorded run to judge in place of a service: its folder, its report.json, or a bundle.",
    )


def settings_of(config: pytest.Config) -> click.Context:
    """Return the settings as click reads the options of `check`, those of the command line before those of the file.

    Paths of the file are relative to it, and messages name the place of a setting. Raise UsageError for a wrong one.
    """
    arguments, settings = [], {option.name: option for option in _settings()}
    places = {}
    written = {str(each).partition("=")[0] for each in config.invocation_params.args}
    for name, option in settings.items():
        value, folder = getattr(config.option, _key(option)), config.invocation_params.dir
        if option.opts[0] not in written:
            places[name] = f"{option.opts[0][2:]} in addopts"
        if value is None:
            value = config.getini(_key(option))
            folder = config.inipath.parent if config.inipath else config.rootpath
            places[name] = f"{_key(option)} in {config.inipath}"
        for each in (value if option.multiple else [value]) if value else ():
            if isinstance(option.type, click.Path):
                each = folder / each
            elif option.multiple and each.startswith("@"):
                each = f"@{folder / each[1:]}"
            arguments.append(option.opts[0] if option.is_flag else f"{option.opts[0]}={each}")
    others = [each for each in check.params if each.name not in settings and each.name != "config"]
    context = click.Command("pytest", params=[*settings.values(), *others]).make_context("pytest", arguments)
    for name, place in places.items():
        settings[name].opts = [place]
    return context


def in_own_words(text: str) -> str:
    """Return a text of the suite with the names that the options of `check` have here; whole commands stay.

    Before an option that is none here stands the command that has it.
    """
    return _option_or_command().sub(_named_here, text)


def _named_here(found: re.Match[str]) -> str:
    if found["here"]:
        return f"--drsi-{found['here']}"
    return f"{NAME} check {found[0]}" if found["elsewhere"] else found[0]


@cache
def _option_or_command() -> re.Pattern[str]:
    here = {option.opts[0].removeprefix("--drsi-") for option in _settings()}
    elsewhere = {name.removeprefix("--") for option in check.params for name in option.opts} - here
    options = rf"--(?:(?P<here>{'|'.join(here)})|(?P<elsewhere>{'|'.join(elsewhere)}))(?![\w-])"
    return re.compile(rf"'{NAME} [^']*'|(?<![\w-]){options}")


def _settings() -> list[click.Option]:
    """Return the options of `check` that are settings, under their names here."""
    return [_named(each) for each in check.params if PYTEST in places_of(each)]


def _named(parameter: click.Parameter) -> click.Option:
    assert parameter.name
    name = f"--drsi-{parameter.name.replace('_', '-')}"
    if not isinstance(parameter, click.Option):
        return click.Option([name, parameter.name], type=parameter.type, metavar="URL", help="The service to check.")
    option = copy.copy(parameter)
    option.opts, option.secondary_opts = [name], []
    if parameter.name == "max_time":  # the user's own pytest ends when its user says so
        option.default = None
    return option


def _help(option: click.Option) -> str:
    """Return the help of an option; a file of `check` has a default that the plugin has not."""
    text = option.help or ""
    if isinstance(option.type, click.Path):
        text = re.sub(r"  \[default: .*\]", "", text)
    if option.envvar:
        text += f" [env var: {option.envvar}]"
    if option.show_default and not option.is_flag:
        text += f" [default: {'no limit' if option.default is None else option.default}]"
    return text.replace("%", "%%")


def _key(option: click.Option) -> str:
    return f"drsi_{option.name}"
