"""Trials that were never made, for what is done with their results."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from conformance.calibration.document import Scope, calibration
from conformance.calibration.zoo import REFERENCE, Job, Kind, Said, Trial, attempt
from conformance.requirements import catalogue
from conformance.verdict import Verdict

FAULT = "settings-terms-of-service-absent"
OWN = "2.3-termsOfService"
OTHER = "4.3-answers-ok"
TWIN = "served-at-the-root"
MEASURED = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)


def trial(job: Job, **verdicts: Verdict) -> Trial:
    """Return a trial in which everything passed but what `verdicts` says otherwise."""
    every = {row.id: Verdict.PASS for row in catalogue().rows.values()}
    return Trial(job=job, verdicts=every | verdicts, checks={"test_it.py::test_it": OWN}, exchanges=7, seconds=0.1)


def of_fault(name: str = FAULT, seed: int = 0, **verdicts: Verdict) -> Trial:
    """Return a trial of a fault, caught unless `verdicts` says otherwise."""
    caught = trial(Job(kind=Kind.FAULT, name=name, seed=seed), **{OWN: Verdict.FAIL, **verdicts})
    said = Said(requirement=OWN, verdict=Verdict.FAIL, check="test_it.py::test_it", message="termsOfService is missing")
    return replace(caught, said=(said,), objected=("test_it.py::test_it",))


def of_twin(seed: int = 0, **verdicts: Verdict) -> Trial:
    """Return a trial of a twin, accepted unless `verdicts` says otherwise."""
    return trial(Job(kind=Kind.TWIN, name=TWIN, seed=seed), **verdicts)


def document(*trials: Trial, scope: Scope = Scope.ONLY, committed: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the calibration of `trials`."""
    return calibration(trials, scope=scope, measured=MEASURED, committed=committed)


@cache
def reference() -> Trial:
    """Return a trial of the reference that was made."""
    return attempt(REFERENCE)
