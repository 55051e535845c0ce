"""Assumptions: settings that violate clause 2.3 although the intended value is evident.

The run tests with that value, and the report states the assumption.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from conformance.facts.answers import is_document
from conformance.model.strict_json import as_strings
from conformance.model.text import in_json, misspelt


def limit_of(settings: dict[str, Any]) -> tuple[int | None, str]:
    """Return maxNumberOfRequests and the assumption behind it, "" if the settings state it; None if unknown."""
    return _value(settings, "maxNumberOfRequests", _integer, _written_integer)


def languages_of(settings: dict[str, Any]) -> tuple[list[str] | None, str]:
    """Return supportedLanaguages and the assumption behind it, "" if the settings state it; None if unknown."""
    return _value(settings, "supportedLanaguages", as_strings, _string_as_list)


def document_of(value: Any, kind: type) -> tuple[Any, str]:
    """Return the settings (dict) or the data types (list) inside `value`, and their place; None if there are none.

    The document may be in an envelope or a list, or be JSON in a string.
    """
    if is_document(value, kind):
        return value, ""
    if isinstance(value, str):
        with suppress(ValueError):
            inner, _ = document_of(json.loads(value), kind)
            return inner, "written as a string" if inner is not None else ""
    members = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, each in members:
        if is_document(each, kind):
            return each, f"inside {in_json(name, 40)}" if isinstance(name, str) else "inside a list"
    return None, ""


def _value(
    settings: dict[str, Any], name: str, right: Callable[[Any], Any], meant: Callable[[Any], Any]
) -> tuple[Any, str]:
    if (given := right(settings.get(name))) is not None:
        return given, ""
    for near in (each for each in (name, misspelt(name, settings)) if each in settings):
        given = right(settings[near])
        if given is None:
            given = meant(settings[near])
        if given is not None:
            shown = in_json(settings[near], 60)
            return given, f"{name} is taken to be {in_json(given, 60)}, because the settings carry {near} {shown}."
    return None, ""


def _integer(given: Any) -> int | None:
    if isinstance(given, bool) or not isinstance(given, int | float) or given != int(given):
        return None
    return int(given)


def _written_integer(given: Any) -> int | None:
    return int(given) if isinstance(given, str) and re.fullmatch(r"-?[0-9]{1,9}", given) else None


def _string_as_list(given: Any) -> list[str] | None:
    parts = re.split(r"[,; ]+", given.strip()) if isinstance(given, str) else []
    return parts if any(parts) else None
