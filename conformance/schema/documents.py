"""The documents in schemas/: each schema as its file has it, and the OpenAPI document bundled with them all."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

STEMS = ("settings", "data-type", "data-type-list", "data-request", "error", "data-me")
"""The schemas of what the interface sends, by the names of their files."""

_SUFFIX = ".schema.json"


@cache
def load(schema: str) -> dict[str, Any]:
    """Return the schema called `schema`, one of `STEMS`, as the file has it; raise ValueError for another name."""
    if schema not in STEMS:
        raise ValueError(f"no schema is called {schema!r}; there are {', '.join(STEMS)}")
    document: dict[str, Any] = json.loads((files("conformance.schemas") / f"{schema}{_SUFFIX}").read_bytes())
    return document


def bundled() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document with each schema it needs once, under components/schemas, and no other file."""
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
    """Copy `node` of the schema `stem` (None: of the document) with its refs pointing into the bundle."""
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
