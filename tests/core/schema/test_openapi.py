"""The OpenAPI document: it is valid and self-contained, and agrees with the specification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from conformance.model.exchange import Operation
from conformance.model.formats import checker
from conformance.schema.documents import bundled

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
# Clause 7 once more, independent of the document and the catalogue: status, operations, error, message.


def nodes(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from nodes(child)


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
    shown = [(node["schema"], value) for node in nodes(BUNDLE) if "schema" in node for value in examples(node).values()]
    for shape, value in shown:
        assert accepts(shape, value), value
    assert len(shown) >= 11
