"""The files of schemas/: the JSON Schemas, and the OpenAPI document bundled with them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

STEMS = ("settings", "data-type", "data-type-list", "data-request", "error", "data-me")
"""The names of the schemas of the interface, without the suffix of their files."""

_SUFFIX = ".schema.json"


@cache
def load(schema: str) -> dict[str, Any]:
    """Return the schema `schema`, one of `STEMS`, as in its file."""
    document: dict[str, Any] = json.loads((files("conformance.schemas") / f"{schema}{_SUFFIX}").read_bytes())
    return document


@cache
def requirements_of(schema: str) -> frozenset[str]:
    """Return the requirements that a document of `schema` can violate, without the one on another kind of JSON."""
    found: set[str] = set()
    for node in _objects(load(schema)):
        found.update(as_list(node.get("x-requirement")), as_list(node.get("x-required-by")))
        found.update(node.get("x-recommended", {}).values())
        if isinstance(recommended := node.get("x-should"), str):
            found.add(recommended)
        if node.get("$ref", "").endswith(_SUFFIX):
            found |= requirements_of(node["$ref"].removesuffix(_SUFFIX))
    return frozenset(found)


@cache
def recommended_beside(schema: str) -> dict[str, list[str]]:
    """Return the requirements that recommend a form of a field, each with what the same field is required to be."""
    return {
        recommended["x-requirement"]: as_list(node.get("x-requirement"))
        for node in _objects(load(schema))
        if isinstance(recommended := node.get("x-should"), dict)
    }


def as_list(value: str | list[str] | None) -> list[str]:
    """Return a keyword of a schema that may be one text or several, as a list."""
    return [value] if isinstance(value, str) else list(value or ())


@cache
def member_names() -> frozenset[str]:
    """Return the names of the members that the interface has."""
    return frozenset(name for stem in STEMS for node in _objects(load(stem)) for name in node.get("properties", ()))


def _objects(node: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a schema."""
    if isinstance(node, dict):
        yield node
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _objects(inner)


def bundled() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document with all schemas under components/schemas, without references to other files."""
    document = _with_inner_references("openapi.json", "")
    document["components"]["schemas"] = {}
    for stem in sorted(STEMS):
        schema = _with_inner_references(f"{stem}{_SUFFIX}", _place(stem))
        del schema["$schema"]
        document["components"]["schemas"][_place(stem).rpartition("/")[2]] = schema
    return document


def _place(stem: str) -> str:
    return f"/components/schemas/{''.join(part.capitalize() for part in stem.split('-'))}"


def _with_inner_references(name: str, own: str) -> dict[str, Any]:
    """Return a file of schemas/ as a part of the document, in which it has the place `own`."""

    def inner(reference: re.Match[str]) -> str:
        file, _, pointer = reference[1].partition("#")
        return f'"$ref": "#{_place(file.removesuffix(_SUFFIX)) if file else own}{pointer}"'

    text = (files("conformance.schemas") / name).read_text("utf-8")
    document: dict[str, Any] = json.loads(re.sub(r'"\$ref":\s*"([^"]*)"', inner, text))
    return document
