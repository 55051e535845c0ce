"""The schema files and the OpenAPI document: they are valid, and agree with the specification and the checker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from conformance.model.exchange import Operation
from conformance.model.formats import FORMATS, checker
from conformance.schema.documents import bundled, load

FOLDER = Path(str(files("conformance.schemas")))
SCHEMA_FILES = sorted(FOLDER.glob("*.schema.json"))
each_file = pytest.mark.parametrize("file", SCHEMA_FILES, ids=lambda file: file.name)


def objects_in(node: Any) -> Iterator[dict[str, Any]]:
    """Yield each JSON object in `node`, itself included."""
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from objects_in(child)


def formats_of(document: Any) -> set[str]:
    # A property may be called format: the keyword has a string, the property a schema.
    found = (schema.get("format") for schema in objects_in(document))
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


BUNDLE = bundled()
ELSE = ("3XX", "4XX", "5XX")
"""There is no 2XX: clause 4 states the one status of success of each operation."""

OPERATIONS = {
    "createRequest": ("post", "/requests", {"200", "400", "401", *ELSE}),
    "readRequest": ("get", "/requests/{requestId}", {"200", "401", "404", *ELSE}),
    "deleteRequest": ("delete", "/requests/{requestId}", {"200", "401", "404", *ELSE}),
    "getSettings": ("get", "/settings", {"200", *ELSE}),
    "getData": ("get", "/data", {"200", "400", *ELSE}),
    "getDataMe": ("get", "/data/me", {"200", "default"}),
}


def accepts(schema: dict[str, Any], instance: object) -> bool:
    whole = {**schema, "components": BUNDLE["components"]}
    return Draft202012Validator(whole, format_checker=checker()).is_valid(instance)


def test_document_is_valid() -> None:
    assert [error.message for error in OpenAPIV31SpecValidator(BUNDLE).iter_errors()] == []


def test_all_operations_are_there() -> None:
    found = {
        described["operationId"]: (method, path, set(described["responses"]))
        for path, item in BUNDLE["paths"].items()
        for method, described in item.items()
        if method != "parameters"
    }

    assert found == OPERATIONS
    assert set(found) == set(Operation)


def examples(node: dict[str, Any]) -> dict[str, Any]:
    named = {name: each["value"] for name, each in node.get("examples", {}).items()}
    return named | {"": node["example"]} if "example" in node else named


def test_every_example_keeps_its_schema() -> None:
    shown = [
        (node["schema"], value) for node in objects_in(BUNDLE) if "schema" in node for value in examples(node).values()
    ]
    for shape, value in shown:
        assert accepts(shape, value), value
    assert len(shown) >= 11
