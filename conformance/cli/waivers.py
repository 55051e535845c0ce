"""The file of waivers: known failures of a service that its owner accepts until a date."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from conformance.cli import config
from conformance.model.requirements import UnknownRequirement, catalogue
from conformance.model.verdict import Level

if TYPE_CHECKING:
    from conformance.model.report import Waiver

FILE_NAME: Final = "drsi-conformance-waivers.toml"


def load(path: Path | None, *, embedded: bool = False) -> tuple[Waiver, ...]:
    """Return the waivers of the file `path`; raise UsageError if it is not one.

    Without `path` the file of the working directory is read, if there is one. It describes a service, so a run of the
    `embedded` reference service leaves it aside.
    """
    if path is None:
        path = Path(FILE_NAME)
        if embedded or not path.exists():
            return ()
    document = config.document(path, "--waivers")
    entries = document.pop("waiver", [])
    if document or not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        found = ", ".join(map(repr, document)) or "waiver in another form"
        raise click.UsageError(f"{path}: expected only tables [[waiver]], found {found}.")
    return tuple(_waiver(f"{path}: waiver {number}", entry) for number, entry in enumerate(entries, 1))


def _waiver(place: str, entry: dict[str, Any]) -> Waiver:
    from conformance.model.report import Waiver

    if unknown := [key for key in entry if key not in _KEYS]:
        near = difflib.get_close_matches(unknown[0], _KEYS, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Keys: {', '.join(_KEYS)}."
        raise click.UsageError(f"{place}: there is no key {unknown[0]!r}. {hint}")
    try:
        return Waiver(**{key: check(entry.get(key)) for key, check in _KEYS.items()})
    except ValueError as error:
        named = entry.get("requirement")
        where = f"{place} ({named})" if isinstance(named, str) else place
        raise click.UsageError(f"{where}: {error}") from None


def _requirement(value: Any) -> str:
    text = _text("requirement", "the id of the requirement that fails")(value)
    try:
        row = catalogue()[text]
    except UnknownRequirement as error:
        raise ValueError(str(error)) from None
    if row.untestable or (row.level is Level.OPEN and not row.alert):
        raise ValueError("no run fails this requirement. Remove the waiver.")
    return text


def _text(key: str, expected: str) -> Callable[[Any], str]:
    def checked(value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            received = "missing" if value is None else "empty" if isinstance(value, str) else f"{value!r:.60}"
            raise ValueError(f"{key} is {received}. Expected: {expected}.")
        return value.strip()

    return checked


def _expires(value: Any) -> str:
    if type(value) is not date:
        received = "missing" if value is None else f"{value!s:.60}"
        raise ValueError(f"expires is {received}. Expected: the last day of the waiver, such as 2027-03-31, unquoted.")
    return value.isoformat()


def _finding(value: Any) -> str:
    if value is None:
        return ""
    _text("finding", "a regular expression for the message of the finding, or no such key")(value)
    pattern = str(value)  # with its spaces, which are part of the expression
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"finding is no regular expression: {error}. Correct {pattern!r:.200}.") from None
    return pattern


_KEYS: Final[dict[str, Callable[[Any], str]]] = {
    "requirement": _requirement,
    "reason": _text("reason", "why the failure is accepted"),
    "owner": _text("owner", "who answers for it"),
    "expires": _expires,
    "finding": _finding,
}
