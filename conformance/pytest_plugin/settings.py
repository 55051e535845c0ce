"""The settings of the plugin: options of `check`, each an option of pytest and a key of the user's pytest.ini."""

from __future__ import annotations

import argparse
import copy
import re
from pathlib import Path
from typing import Any

import click
import pytest

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


def settings_of(config: pytest.Config) -> argparse.Namespace:
    """Return the settings, those of the command line before those of the file; paths of the file are relative to it.

    Paths are Path, confirmations bool, what may be repeated a list, all others the text that was given; None means not
    given. `places` says where those were given that are not on the command line.
    """
    given = argparse.Namespace(drsi_evidence=config.option.drsi_evidence, places={})
    written = {str(each).partition("=")[0] for each in config.invocation_params.args}
    for option in _settings():
        value, folder = getattr(config.option, _key(option)), config.invocation_params.dir
        if option.opts[0] not in written:
            given.places[option.name] = f"{option.opts[0][2:]} in addopts"
        if value is None:
            value = config.getini(_key(option))
            folder = config.inipath.parent if config.inipath else config.rootpath
            given.places[option.name] = f"{_key(option)} in {config.inipath}"
        if isinstance(option.type, click.Path) and value is not None:
            value = folder / value
        elif option.multiple:
            value = [f"@{folder / each[1:]}" if each.startswith("@") else each for each in value or ()]
        setattr(given, _key(option), value)
    return given


def context_of(given: argparse.Namespace) -> click.Context:
    """Return the settings as click reads the options of `check`; raise UsageError for a wrong one."""
    arguments = []
    for option in _settings():
        value = getattr(given, _key(option))
        if option.is_flag:
            arguments += [option.opts[0]] if value else []
        elif value is not None:
            arguments += [f"{option.opts[0]}={each}" for each in (value if option.multiple else [value])]
    settings = {option.name: option for option in _settings()}
    others = [each for each in check.params if each.name not in settings and each.name != "config"]
    context = click.Command("pytest", params=[*settings.values(), *others]).make_context("pytest", arguments)
    for name, place in given.places.items():
        settings[name].opts = [place]  # messages name it
    return context


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
