"""Every sample document breaks exactly the requirements that its name says."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, validators
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from conformance.model import strict_json
from conformance.model.formats import checker
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level
from conformance.schema.documents import STEMS, load
from conformance.schema.violations import violations

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
