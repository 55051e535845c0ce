"""Trials that were never made, for what is done with their results."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator

from conformance.calibration.document import DocumentScope, calibration
from conformance.calibration.run_one import Job, Trial
from conformance.model.findings import Finding
from conformance.model.formats import checker
from conformance.model.requirements import catalogue
from conformance.model.verdict import Blame, Verdict

FAULT = "settings-terms-of-service-absent"
OWN = "2.3-termsOfService"
OTHER = "4.3-answers-ok"
TWIN = "served-at-the-root"
PAIR = "settings-terms-of-service-absent + deletion-answers-row-count"
"""The fault FAULT, and one of the requirement OTHER."""
MEASURED = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)


def trial(job: Job, **verdicts: Verdict) -> Trial:
    """Return a trial in which everything passed but what `verdicts` says otherwise."""
    every = {row.id: Verdict.PASS for row in catalogue().rows.values()}
    return Trial(job=job, verdicts=every | verdicts, checks={"test_it.py::test_it": OWN}, exchanges=7, seconds=0.1)


def of_fault(seed: int = 0, **verdicts: Verdict) -> Trial:
    """Return a trial of FAULT, caught unless `verdicts` says otherwise."""
    caught = trial(Job(name=FAULT, seed=seed), **{OWN: Verdict.FAIL, **verdicts})
    found = Finding(verdict=Verdict.FAIL, blame=Blame.TARGET, message="termsOfService is missing")
    return replace(caught, findings={OWN: (found,)}, objected=("test_it.py::test_it",))


def of_twin(seed: int = 0, **verdicts: Verdict) -> Trial:
    """Return a trial of a twin, accepted unless `verdicts` says otherwise."""
    return trial(Job(name=TWIN, seed=seed), **verdicts)


def document(
    *trials: Trial, scope: DocumentScope = DocumentScope.ONLY, committed: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return the calibration of `trials`."""
    return calibration(trials, scope=scope, measured=MEASURED, committed=committed)


def valid(value: object) -> None:
    """Raise ValidationError unless `value` matches the schema of `calibration.json`."""
    schema = json.loads((files("conformance.schemas") / "calibration.schema.json").read_text("utf-8"))
    # Through JSON, so that what is judged is what a reader gets.
    Draft202012Validator(schema, format_checker=checker()).validate(json.loads(json.dumps(value)))
