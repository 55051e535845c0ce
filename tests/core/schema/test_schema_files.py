"""The schema files and the OpenAPI document: they are valid, and agree with the specification and the checker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, validators
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from conformance.model import strict_json
from conformance.model.errors import RequirementViolated
from conformance.model.formats import FORMATS, checker
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level
from conformance.schema.documents import STEMS, bundled, load
from conformance.schema.violations import violations

FOLDER = Path(str(files("conformance.schemas")))
SCHEMA_FILES = sorted(FOLDER.glob("*.schema.json"))


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


@pytest.mark.parametrize("file", SCHEMA_FILES, ids=lambda file: file.name)
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


def test_document_is_valid() -> None:
    assert [error.message for error in OpenAPIV31SpecValidator(BUNDLE).iter_errors()] == []


FIXTURES = Path(str(files("conformance.fixtures")))
SAMPLES = sorted(FIXTURES.glob("*/*/*.json"))


def samples(schema: str) -> list[Path]:
    return [path for path in SAMPLES if path.parent.parent.name == schema]


def promised(sample: Path) -> set[str]:
    ids, separator, _ = sample.stem.partition("--")
    return set(ids.split("+")) if separator else set()


def broken_musts(ids: set[str]) -> set[str]:
    return {row for row in ids if catalogue()[row].level is Level.MUST}


def document(sample: Path) -> object:
    parsed = strict_json.parse(sample.read_bytes())
    assert parsed.problem is None
    return parsed.value


@pytest.mark.parametrize("schema", STEMS)
def test_samples_break_what_their_names_say(schema: str) -> None:
    root = "4.1-object" if schema == "data-request" else None
    wrong = []
    for sample in samples(schema):
        found = violations(schema, document(sample), root=root)
        places = [(violation.requirement, violation.path) for violation in found]
        if {violation.requirement for violation in found} != promised(sample) or len(places) != len(set(places)):
            wrong.append((sample.name, places))

    assert wrong == []


NOT_OF_ONE_ELEMENT = {"2.2-type-unique"}
"""A schema cannot compare the elements of an array by one property."""


@pytest.mark.parametrize("schema", STEMS)
def test_the_schema_file_by_itself_agrees(schema: str) -> None:
    """To a plain validator, as implementers have one, the documents that break a must are invalid, and no others."""
    plain = validators.extend(Draft202012Validator)
    registry = Registry().with_resources(
        (f"{stem}.schema.json", DRAFT202012.create_resource(load(stem))) for stem in STEMS
    )
    judge = plain(load(schema), registry=registry, format_checker=checker())

    wrong = [
        path.name
        for path in samples(schema)
        if judge.is_valid(document(path)) != (not broken_musts(promised(path) - NOT_OF_ONE_ELEMENT))
    ]
    assert wrong == []


DATA_TYPE: dict[str, Any] = {
    "type": "profile",
    "description": "Name and address",
    "context": "https://schema.org/Person",
    "processingGround": "contract",
    "isErasable": False,
    "isRectifiable": True,
}


def only(found: tuple[RequirementViolated, ...], requirement: str) -> RequirementViolated:
    (violation,) = [violation for violation in found if violation.requirement == requirement]
    return violation


def test_values_are_cut_and_escaped() -> None:
    hostile = "\x1b[31m\u202e\ud800\x00\x9b" + "a" * 500

    found = only(violations("error", {"error": [hostile], "message": "m"}), "2.4-error")

    assert found.actual.isprintable()
    assert found.actual.startswith('the array ["\\u001b[31m\\u202e\\ud800\\u0000\\u009b')
    assert len(found.actual) == len("the array ") + 200


def test_deep_documents_are_judged() -> None:
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]

    assert [found.requirement for found in violations("settings", deep)] == ["4.4-object"]
    assert [found.requirement for found in violations("error", {"error": deep, "message": "m"})] == ["2.4-error"]


def test_each_field_of_a_long_list_is_named_once() -> None:
    wrong = {**DATA_TYPE, "description": 5, "isErasable": "no"}

    found = violations("data-type-list", [{**wrong, "type": f"type {number}"} for number in range(10_000)])

    assert [violation.path for violation in found] == ["/0/description", "/0/isErasable"]
    assert all(violation.message.endswith("(and 9999 more like it)") for violation in found)
