"""How pytest runs the checks and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.resources import as_file, files
from typing import Any, Final

import pytest

_UNNEEDED: Final = """
    assertion capture cacheprovider debugging doctest faulthandler junitxml legacypath logging monkeypatch pastebin
    recwarn setuponly setupplan skipping stepwise subtests terminal threadexception tmpdir unittest unraisableexception
    warnings
"""
"""Plugins of pytest that no check uses, and that cost time for each check."""


def options(checks: str, ini: str, extra: list[str]) -> list[Any]:
    """Return arguments with which pytest reads nothing from the directory of the user."""
    return [
        checks,
        "-c",
        ini,
        f"--rootdir={checks}",
        "--disable-plugin-autoload",
        "--import-mode=importlib",
        "--continue-on-collection-errors",
        "-p",
        "conformance.pytest_plugin",
        *(word for name in _UNNEEDED.split() for word in ("-p", f"no:{name}")),
        *extra,
    ]


def run(extra: list[str], plugins: Sequence[object]) -> int:
    """Have pytest run the checks with the public plugin; return its exit code.

    One of `plugins` has the hook `pytest_drsi_run`, which gives the run. Nothing in the environment of the user
    changes the run.
    """
    with as_file(files("conformance") / "checks") as checks, pytest.MonkeyPatch.context() as environment:
        for variable in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
            environment.delenv(variable, raising=False)
        arguments = options(str(checks), str(checks / "pytest.ini"), extra)
        code = pytest.main(arguments, plugins=list(plugins))
    # pytest keeps the last exception for a debugger, and with it the whole run.
    for name in ("last_exc", "last_type", "last_value", "last_traceback"):
        vars(sys).pop(name, None)
    return code
