"""pytest as the suite runs it on its checks: nothing of the user's own pytest changes what it does."""

from __future__ import annotations

import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

import pytest

from conformance.run.items import CheckModule

_UNNEEDED: Final = """
    assertion capture cacheprovider debugging doctest faulthandler junitxml legacypath logging monkeypatch pastebin
    recwarn setuponly setupplan skipping stepwise subtests terminal threadexception tmpdir unittest unraisableexception
    warnings
"""
"""Plugins of pytest that no check uses, and that cost time."""


class Checks:
    """A plugin of pytest that takes the files of the suite for checks."""

    def pytest_pycollect_makemodule(self, module_path: Path, parent: pytest.Collector) -> CheckModule:
        """Collect a file of checks."""
        return CheckModule.from_parent(parent, path=module_path)


def run_pytest(plugin: Checks, *options: str) -> int:
    """Run pytest on the checks and return its exit code; no variable and no file of the user changes what it does."""
    with as_file(files("conformance") / "checks") as folder, pytest.MonkeyPatch.context() as environment:
        for variable in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
            environment.delenv(variable, raising=False)
        arguments = [
            *(str(folder), *options, "-c", f"{folder}/pytest.ini", f"--rootdir={folder}"),
            *("--disable-plugin-autoload", "--import-mode=importlib", "--continue-on-collection-errors"),
            *(word for name in _UNNEEDED.split() for word in ("-p", f"no:{name}")),
        ]
        code = pytest.main(arguments, plugins=[plugin])
    # pytest keeps the last exception for a debugger, and with it the whole run.
    for name in ("last_exc", "last_type", "last_value", "last_traceback"):
        vars(sys).pop(name, None)
    return code
