"""The words of a violation: what a schema expects, what a document has instead, and the probe for a script."""

from __future__ import annotations

from typing import Any

from conformance.model.errors import Probe
from conformance.model.text import escaped, in_json, misspelt, shorten
from conformance.schema.documents import as_list

_KINDS = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number"}
_ANY = ("null", "boolean", "integer", "number", "string", "array", "object")
_WORDS = {
    "uuid": "a UUID",
    "uuid4": "a version 4 UUID, which is strongly recommended",
    "date-time": "a date-time with an offset or Z, as RFC 3339 has it",
    "rfc-3339": "the form of RFC 3339, such as 2026-01-31T12:00:00Z",
    "iri": "an absolute URL of http or https",
    "http-url": "an absolute URL of http or https",
    "idn-email": "an e-mail address",
}

_PROBED_AS = {"rfc-3339": "date-time", "http-url": "iri"}
"""A reproduction script tests the recommended form."""


def probe_of(subschema: dict[str, Any], pointer: str, *, optional: bool) -> Probe | None:
    """Return what `subschema` demands of the value at `pointer`; None for a pattern, which no probe tests."""
    if "not" in subschema:
        return Probe(kind="absent", pointer=pointer)
    if "format" in subschema:
        tested = _PROBED_AS.get(subschema["format"], subschema["format"])
        return Probe(kind="format", pointer=pointer, values=(tested,), optional=optional)
    if "type" not in subschema and "pattern" in subschema:
        return None
    kinds = tuple(as_list(subschema.get("type"))) or _ANY
    return Probe(kind="type", pointer=pointer, values=kinds, optional=optional)


def demanded(subschema: dict[str, Any]) -> str:
    """Return in words what `subschema` demands, such as "a boolean"."""
    if "x-expected" in subschema or "format" in subschema:
        return str(subschema.get("x-expected") or _WORDS[subschema["format"]])
    kinds = as_list(subschema.get("type"))
    words = " or ".join(f"an {kind}" if kind[0] in "aio" else f"a {kind}" for kind in kinds) or "any value"
    return f"{words} of {subschema['items']['type']}s" if "type" in subschema.get("items", {}) else words


def hint(name: str, instance: dict[str, Any], known: dict[str, Any]) -> str:
    """Return words that name a property which looks like the missing one, contains it or may be it, or nothing."""
    if name == "context" and "schemaUrl" in instance:
        return ": the object has schemaUrl, the name of context in the superseded edition"
    unknown = {key: value for key, value in instance.items() if key not in known}
    near = misspelt(name, unknown)
    if near:
        return f": the object has {escaped(near)} in place of {name}, the spelling of the specification"
    if inside := next((key for key, value in unknown.items() if isinstance(value, dict) and name in value), None):
        return f": the object has it inside {shorten(escaped(inside), 60)}, and not at the top"
    return ""


def described(value: object) -> str:
    """Return the type of `value` and its JSON, shortened: 'the string "5"'."""
    shown = in_json(value)
    return shown if value is None else f"the {_KINDS.get(type(value), 'number')} {shown}"
