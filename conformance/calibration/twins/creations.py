"""Twins that answer bodies which no clause describes: malformed, empty or repetitive ones (4.1, 7)."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any, Final

from conformance.calibration import sources
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

_MALFORMED: Final = object()


def _content(call: Call) -> Any:
    """Return the value of a body, _MALFORMED for one that is not JSON."""
    try:
        return json.loads(call.body)
    except (ValueError, RecursionError):
        return _MALFORMED


def _taken(is_meant: Callable[[Any], bool], which: slice) -> type[Service]:
    """Return the service that takes some bodies for a list of its types, or of a part of them."""

    class Changed(Service):
        def wanted_types(self, call: Call) -> tuple[str, ...]:
            if call.body and is_meant(_content(call)):
                return tuple(each.type for each in self.types)[which]
            return super().wanted_types(call)

    return Changed


for _name, _text, _source, _service in (
    (
        "empty-array-means-all",
        "The service treats an empty array as an omitted body.",
        "4.1, item 2",
        _taken(lambda wanted: bool(wanted == []), slice(None)),
    ),
    (
        "empty-array-means-none",
        "An empty array creates a request without types.",
        "4.1, item 1, sentence 1",
        _taken(lambda wanted: bool(wanted == []), slice(0)),
    ),
    (
        "null-means-all",
        "The service treats null and an empty object as an omitted body.",
        "4.1, item 2",
        _taken(lambda wanted: wanted in (None, {}), slice(None)),
    ),
    (
        "single-string-is-taken",
        "The service treats a string or a number as a list of the first type: no table covers such bodies.",
        sources.JACKSON_ARRAYS,
        _taken(lambda wanted: isinstance(wanted, str | int), slice(1)),
    ),
    (
        "malformed-body-ignored",
        "The service treats a body that is not JSON as an omitted body.",
        sources.FLASK_SILENT,
        _taken(lambda wanted: wanted is _MALFORMED, slice(None)),
    ),
):
    add_twin("4.1", _name, _text, service=_service, source=_source)


def _crashed() -> Reply:
    return Reply(500, b"<h1>Internal Server Error</h1>", {"content-type": "text/html"})


@twin("4.1", source="7, paragraph 2", at="create")
def malformed_body_server_error(_service: Service, call: Call) -> Reply | None:
    """A body that is not JSON causes a 500 with a page and creates nothing: no table covers such bodies."""
    return _crashed() if call.body and _content(call) is _MALFORMED else None


@twin("4.1", source="7, paragraph 2", at="create")
def other_json_server_error(_service: Service, call: Call) -> Reply | None:
    """The service iterates over a body that is no array of strings, and answers 500: no table covers such bodies."""
    wanted = _content(call) if call.body else _MALFORMED
    is_list = isinstance(wanted, list) and wanted and all(isinstance(each, str) for each in wanted)
    return None if wanted is _MALFORMED or is_list else _crashed()


@twin("4.1", source="4.1, item 1, sentence 1", of="wanted_types")
def repeated_type_kept(_service: Service, wanted: Any, call: Call) -> Any:
    """An array that names a type twice creates a request that names it twice."""
    return tuple(json.loads(call.body)) if call.body else wanted


@twin("4.1", source=sources.JSON_SCHEMA_UNIQUE, at="create")
def repeated_type_refused_by_the_framework(service: Service, call: Call) -> Reply | None:
    """The framework asks for unique elements: an array that names a type twice answers 400 with a code of its own."""
    with contextlib.suppress(ValueError, RecursionError):
        listed = json.loads(call.body)
        if isinstance(listed, list) and service.types_match(listed) and len(set(listed)) < len(listed):
            return Reply.json({"error": "ValidationFailed", "message": "The body has the wrong form."}, 400)
    return None


@twin("7", name="nul-in-a-body-is-malformed", source=sources.POSTGRESQL_NUL)
def nul_is_malformed(_service: Service, call: Call) -> Reply | None:
    """The parser refuses a NUL in a text as malformed: the specification leaves the answer open."""
    if b"\\u0000" not in call.body:
        return None
    return Reply.json({"error": "Bad Request", "message": "The body cannot be read."}, 400)
