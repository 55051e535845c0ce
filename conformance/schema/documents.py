"""The files of schemas/: the JSON Schemas, and the OpenAPI document bundled with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

STEMS = ("settings", "data-type", "data-type-list", "data-request", "error", "data-me")
"""The names of the schemas of the interface, without the suffix of their files."""

_SUFFIX = ".schema.json"


@cache
def load(schema: str) -> dict[str, Any]:
    """Return the schema `schema`, one of `STEMS`, as in its file; raise ValueError for another name."""
    if schema not in STEMS:
        raise ValueError(f"no schema is called {schema!r}; there are {', '.join(STEMS)}")
    document: dict[str, Any] = json.loads((files("conformance.schemas") / f"{schema}{_SUFFIX}").read_bytes())
    return document


@cache
def requirements_of(schema: str) -> frozenset[str]:
    """Return the requirements that a document of `schema` can violate, without the one on another kind of JSON."""
    return frozenset(_requirements(load(schema)))


def _requirements(node: Any) -> Iterator[str]:
    for inner in node if isinstance(node, list) else ():
        yield from _requirements(inner)
    for key, value in node.items() if isinstance(node, dict) else ():
        if key in ("x-requirement", "x-required-by"):
            yield from as_list(value)
        elif key == "x-recommended":
            yield from value.values()
        elif key == "x-identified-by":
            yield from (value["x-requirement"], value["x-should"])
        elif key == "$ref" and value.endswith(_SUFFIX):
            yield from requirements_of(value.removesuffix(_SUFFIX))
        else:
            yield from _requirements(value)


def as_list(value: str | list[str] | None) -> list[str]:
    """Return a keyword of a schema that may be one text or several, as a list."""
    return [value] if isinstance(value, str) else list(value or ())


@cache
def member_names() -> frozenset[str]:
    """Return the names of the members that the interface has."""
    return frozenset(name for stem in STEMS for name in _properties(load(stem)))


def _properties(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from node.get("properties", ())
        for inner in node.values():
            yield from _properties(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _properties(inner)


def bundled() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document with all schemas under components/schemas, without references to other files."""
    document: dict[str, Any] = json.loads((files("conformance.schemas") / "openapi.json").read_bytes())
    wanted: list[str] = []
    document = _rewritten(document, None, wanted)
    schemas = document["components"].setdefault("schemas", {})
    while wanted:
        stem = wanted.pop()
        if _name(stem) not in schemas:
            schemas[_name(stem)] = _rewritten(load(stem), stem, wanted)
            del schemas[_name(stem)]["$schema"]
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    return document


def _name(stem: str) -> str:
    return "".join(part.capitalize() for part in stem.split("-"))


def _rewritten(node: Any, stem: str | None, wanted: list[str]) -> Any:
    """Return a copy of `node`, of the schema `stem` (None: of the document), with refs that point into the bundle."""
    if isinstance(node, list):
        return [_rewritten(element, stem, wanted) for element in node]
    if not isinstance(node, dict):
        return node
    copy = {key: _rewritten(value, stem, wanted) for key, value in node.items()}
    if isinstance(ref := node.get("$ref"), str):
        copy["$ref"] = _target(ref, stem, wanted)
    return copy


def _target(ref: str, stem: str | None, wanted: list[str]) -> str:
    file, _, pointer = ref.partition("#")
    if file:
        stem = file.removesuffix(_SUFFIX)
        wanted.append(stem)
    return f"#/components/schemas/{_name(stem)}{pointer}" if stem else ref
