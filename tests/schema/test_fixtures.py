"""Every sample document breaks exactly the requirements that its name says."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, validators
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from conformance.calibration.faults import FAULTS
from conformance.calibration.faults.samples import NOT_SERVED
from conformance.model import strict_json
from conformance.model.formats import checker, type_checker
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level
from conformance.schema.documents import STEMS, load
from conformance.schema.violations import violations

FOLDER = Path(str(files("conformance.fixtures")))
SAMPLES = sorted(FOLDER.glob("*/*/*.json"))
IDS = [str(path.relative_to(FOLDER)) for path in SAMPLES]

each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=IDS)


def promised(sample: Path) -> set[str]:
    ids, separator, _ = sample.stem.partition("--")
    return set(ids.split("+")) if separator else set()


def broken_musts(ids: set[str]) -> set[str]:
    return {row for row in ids if catalogue()[row].level is Level.MUST}


def document(sample: Path) -> object:
    parsed = strict_json.parse(sample.read_bytes())
    assert parsed.problem is None
    return parsed.value


@each_sample
def test_sample_breaks_what_its_name_says(sample: Path) -> None:
    schema = sample.parent.parent.name
    root = "4.1-object" if schema == "data-request" else None

    found = violations(schema, document(sample), root=root)

    assert {violation.requirement for violation in found} == promised(sample)
    places = [(violation.requirement, violation.path) for violation in found]
    assert len(places) == len(set(places))


@each_sample
def test_sample_lies_in_the_folder_of_its_level(sample: Path) -> None:
    assert sample.parent.name == ("bad" if broken_musts(promised(sample)) else "good")


@each_sample
def test_schema_file_by_itself_agrees(sample: Path) -> None:
    """To a plain validator, as implementers have one, the documents that break a must are invalid, and no others."""
    plain = validators.extend(Draft202012Validator, type_checker=type_checker())
    registry = Registry().with_resources(
        (f"{stem}.schema.json", DRAFT202012.create_resource(load(stem))) for stem in STEMS
    )
    judge = plain(load(sample.parent.parent.name), registry=registry, format_checker=checker())

    assert judge.is_valid(document(sample)) == (not broken_musts(promised(sample)))


@each_sample
def test_sample_that_breaks_something_is_a_fault(sample: Path) -> None:
    ids, separator, _ = sample.stem.partition("--")
    served = separator and sample.name not in NOT_SERVED
    summary = f"Sends what the sample {sample.name} of {sample.parent.parent.name} shows."

    assert [each.requirement for each in FAULTS.values() if each.summary == summary] == [ids.split("+")[-1]] * bool(
        served
    )


def test_every_schema_has_good_and_bad_samples() -> None:
    folders = {(sample.parent.parent.name, sample.parent.name) for sample in SAMPLES}

    assert folders == {(stem, kind) for stem in STEMS for kind in ("good", "bad")}
