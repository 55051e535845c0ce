"""The checks of the suite, as pytest collects them without a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest

from conformance.run.items import CheckModule

_UNNEEDED: Final = """
    assertion capture cacheprovider debugging doctest faulthandler junitxml legacypath logging monkeypatch pastebin
    recwarn setuponly setupplan skipping stepwise subtests terminal threadexception tmpdir unittest unraisableexception
    warnings
"""
"""Plugins of pytest that collect no check, and that cost time or change the process."""


@dataclass
class Collection:
    """What pytest collects from the files of the suite: the plugin that takes them for checks, and keeps these."""

    checks: Sequence[pytest.Function] = ()
    failures: list[tuple[str, str]] = field(default_factory=list)
    """The files that could not be loaded, each with the reason: their checks might have decided any requirement."""

    def pytest_pycollect_makemodule(self, module_path: Path, parent: pytest.Collector) -> CheckModule:
        """Collect a file of checks."""
        return CheckModule.from_parent(parent, path=module_path)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note that a file could not be loaded."""
        if report.failed:
            self.failures.append((report.nodeid, str(report.longrepr)))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep the checks."""
        self.checks = [item for item in session.items if isinstance(item, pytest.Function)]


@cache
def collection() -> Collection:
    """Return the checks of the suite, collected once in a process; no variable and no file of the user changes them."""
    found = Collection()
    with as_file(files("conformance") / "checks") as folder, pytest.MonkeyPatch.context() as environment:
        for variable in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
            environment.delenv(variable, raising=False)
        arguments = [
            *(str(folder), "--collect-only", "-c", f"{folder}/pytest.ini", f"--rootdir={folder}"),
            *("--disable-plugin-autoload", "--import-mode=importlib", "--continue-on-collection-errors"),
            *(word for name in _UNNEEDED.split() for word in ("-p", f"no:{name}")),
        ]
        code = pytest.main(arguments, plugins=[found])
    if code == pytest.ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
        found.failures.append(("the run of the checks", f"pytest ended with {code!r}"))
    return found


def all_checks() -> Sequence[pytest.Function]:
    """Return the checks of the suite."""
    return collection().checks


def traces_of(check: object, requirement_id: str) -> str:
    """Return the smallest traces of a check for a requirement, without the indentation; empty if it has none."""
    found: Mapping[str, str] = getattr(check, "traces", {})
    return dedent(found.get(requirement_id, found.get("", ""))).strip("\n")
