"""Pytest as a run needs it: its marks, and the arguments that leave out whatever a check has no use for."""

from __future__ import annotations

from typing import Any, Final

MARKS: Final = (
    "requirement(id): the requirement a check decides",
    "first: runs first",
    "last: runs last",
)
"""The marks of checks, as pytest wants them declared."""

_UNNEEDED: Final = (
    "assertion",
    "capture",
    "cacheprovider",
    "debugging",
    "doctest",
    "faulthandler",
    "junitxml",
    "legacypath",
    "logging",
    "monkeypatch",
    "pastebin",
    "recwarn",
    "setuponly",
    "setupplan",
    "skipping",
    "stepwise",
    "subtests",
    "terminal",
    "threadexception",
    "tmpdir",
    "unittest",
    "unraisableexception",
    "warnings",
)
"""Plugins of pytest that a check has no use for, and that cost time for each.

Among them are the capturing of what is written, which is the progress here and has to be seen, and the rewriting of
asserts, for the checks say in words what is wrong."""


def options(checks: str, ini: str, extra: list[str]) -> list[Any]:
    """Return the arguments under which pytest reads nothing of the caller's directory."""
    return [
        checks,
        "-c",
        ini,
        f"--rootdir={checks}",
        "--disable-plugin-autoload",
        "--import-mode=importlib",
        "--continue-on-collection-errors",
        *(word for name in _UNNEEDED for word in ("-p", f"no:{name}")),
        *extra,
    ]
