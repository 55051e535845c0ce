"""Every sample document breaks exactly the requirements that its name says, and messages and lists have an end."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, validators
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from conformance.model import strict_json
from conformance.model.errors import RequirementViolated
from conformance.model.formats import checker
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level
from conformance.schema.documents import STEMS, load
from conformance.schema.violations import MOST_PER_REQUIREMENT, violations

FOLDER = Path(str(files("conformance.fixtures")))
SAMPLES = sorted(FOLDER.glob("*/*/*.json"))


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


def without(document: dict[str, Any], name: str, **added: Any) -> dict[str, Any]:
    return {**{key: value for key, value in document.items() if key != name}, **added}


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


def test_a_long_list_of_the_same_faults_is_cut() -> None:
    wrong = {**DATA_TYPE, "description": 5, "isErasable": "no"}

    found = violations("data-type-list", [{**wrong, "type": f"type {number}"} for number in range(10_000)])

    assert Counter(violation.requirement for violation in found) == {
        "2.2-description": MOST_PER_REQUIREMENT,
        "2.2-isErasable": MOST_PER_REQUIREMENT,
    }
    assert [violation.message.endswith("(and 9980 more like it)") for violation in found] == [False] * 38 + [True] * 2
