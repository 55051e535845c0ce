"""The marks of the checks, and the arguments with which pytest runs them and nothing else."""

from __future__ import annotations

from typing import Any, Final

MARKS: Final = (
    "requirement(id): the requirement a check decides",
    "first: runs first",
    "last: runs last",
)
"""The marks of checks, as pytest wants them declared."""

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
        *(word for name in _UNNEEDED.split() for word in ("-p", f"no:{name}")),
        *extra,
    ]
