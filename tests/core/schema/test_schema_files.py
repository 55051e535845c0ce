"""The schema files: they are valid, name rows of the catalogue, and use only formats that the checker knows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.model.formats import FORMATS, checker
from conformance.schema.documents import load

FOLDER = Path(str(files("conformance.schemas")))
SCHEMA_FILES = sorted(FOLDER.glob("*.schema.json"))
each_file = pytest.mark.parametrize("file", SCHEMA_FILES, ids=lambda file: file.name)


def subschemas(node: Any) -> Iterator[dict[str, Any]]:
    """Yield every JSON object in `node`, itself included."""
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from subschemas(child)


def formats_of(document: Any) -> set[str]:
    # A property may be called format: the keyword has a string, the property a schema.
    found = (schema.get("format") for schema in subschemas(document))
    return {name for name in found if isinstance(name, str)}


@each_file
def test_schema_is_valid(file: Path) -> None:
    document = json.loads(file.read_bytes())

    Draft202012Validator.check_schema(document)

    assert document["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


def test_the_checker_knows_the_formats_in_use_and_no_others() -> None:
    used = set().union(*(formats_of(json.loads(file.read_bytes())) for file in SCHEMA_FILES))

    assert used == set(FORMATS) == set(checker().checkers)


def test_a_data_type_is_judged_by_names_kinds_emptiness_and_patterns_alone() -> None:
    """The precondition for judging the elements of a long list by their shape."""
    for name, schema in load("data-type")["properties"].items():
        assert set(schema) <= {"type", "$ref", "description", "x-requirement", "x-should", "deprecated"}, name
        assert set(schema.get("x-should", {})) <= {"pattern", "x-requirement", "x-expected"}, name
        assert schema.get("type", "boolean") == "boolean" or name == "processingGround", name
    assert load("data-type")["$defs"]["text"]["x-should"]["pattern"] == r"\S"
