"""The settings of the plugin: each is an option of the command line, and a key of the user's pytest.ini."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

import pytest

_OPTIONS: Final[dict[str, tuple[Any, str, str]]] = {
    "base-url": (str, "URL", "The service to check."),
    "app": (str, "MODULE:APP", "An ASGI or WSGI application to check in place of a service, such as service.main:app."),
    "token": (str, "TOKEN", "The access token of a test account, in place of the variable DRSI_TOKEN."),
    "other-token": (str, "TOKEN", "The token of a second user, in place of the variable DRSI_OTHER_TOKEN."),
    "token-command": (str, "COMMAND", "Command that prints the access token, in place of the variable DRSI_TOKEN."),
    "other-token-command": (str, "COMMAND", "Command that prints the token of a second user."),
    "empty-account": (bool, "", "Confirm that nothing else counts against the limit of these users."),
    "account-is-for-testing": (bool, "", "Confirm that the accounts exist for tests."),
    "language-selector": (
        str,
        "header:NAME|query:NAME|none",
        "How the service chooses the language of GET /data; none confirms that nothing does. (default: detected)",
    ),
    "set": (str, "NAME", "Frozen set of requirements that are scored. (default: the newest)"),
    "waivers": (Path, "FILE", "File of known failures, which are expected: xfail(strict)."),
    "ca-file": (Path, "PEM", "Certificates of authorities to trust in addition."),
    "output": (Path, "DIR", "Write the report and the evidence into this folder."),
    "seed": (int, "NUMBER", "Seed of what is generated. (default: 0)"),
    "thorough": (bool, "", "Ten times as many repetitions, samples and generated calls."),
    "max-created": (int, "NUMBER", "Maximum number of data requests to create. (default: 200; thorough: 2000)"),
    "max-requests": (int, "NUMBER", "Maximum number of requests; the clean-up does not count. (default: no limit)"),
    "max-time": (float, "NUMBER", "Maximum time of the run in seconds, with its clean-up. (default: no limit)"),
    "timeout": (float, "NUMBER", "Maximum time of one exchange in seconds. (default: 30, and 15 to the first byte)"),
    "rate": (float, "NUMBER", "Maximum number of requests per second. (default: no limit)"),
    "concurrency": (int, "NUMBER", "Maximum number of simultaneous requests where no check tests them. (default: 4)"),
}
"""Kind, name of the value, and meaning of each setting."""

_KINDS: Final = {str: "string", Path: "string", bool: "bool", int: "int", float: "float"}


def declare(parser: pytest.Parser) -> None:
    """Declare all settings."""
    group = parser.getgroup("drsi", "checks of the Data Request Service Interface (conformance.checks)")
    for name, (kind, value, what) in _OPTIONS.items():
        of_kind = {"action": "store_true", "default": None} if kind is bool else {"type": kind, "metavar": value}
        group.addoption(f"--drsi-{name}", help=what, **of_kind)
        parser.addini(_key(name), f"As --drsi-{name}: {what}", type=_KINDS[kind], default=None)  # type: ignore[arg-type]
    group.addoption(
        "--drsi-evidence",
        metavar="RUN",
        type=Path,
        help="A recorded run to judge in place of a service: its folder, its report.json, or a bundle.",
    )


def settings_of(config: pytest.Config) -> argparse.Namespace:
    """Return the settings, those of the command line before those of the file; paths of the file are relative to it."""
    given = argparse.Namespace(drsi_evidence=config.option.drsi_evidence)
    for name, (kind, _, _) in _OPTIONS.items():
        value = getattr(config.option, _key(name))
        if value is None:
            value = config.getini(_key(name))
            if kind is Path and value is not None:
                value = (config.inipath.parent if config.inipath else config.rootpath) / value
        setattr(given, _key(name), value)
    return given


def _key(name: str) -> str:
    return f"drsi_{name.replace('-', '_')}"
