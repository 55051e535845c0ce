"""Invariants of a whole calibration: each check catches a fault, and each finding names what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from conformance.calibration.judgement import Judgement
from conformance.calibration.run_one import BAD, REFERENCE_JOB, Said, Trial
from conformance.calibration.score import demands
from conformance.calibration.variant import Fault
from conformance.model.requirements import catalogue

_TABLES_OF_FIELDS: Final = ("2.1", "2.2", "2.3", "2.4")
_TELLING: Final = re.compile(r"\d+|[A-Za-z]{3,}")
_FILLERS: Final = frozenset(
    re.findall(
        r"\w+",
        "and any are answer answered body for from has have instead its not than that the was what where which with",
    )
)
"""Words that would be shared by chance."""


def breaches(judgements: Sequence[Judgement]) -> Iterator[str]:
    """Yield, in words, each check that catches no fault of its requirement, and each finding that names nothing."""
    catching = {
        check
        for trial, fault in _caught(judgements)
        for check in trial.objected
        if trial.checks.get(check) == fault.requirement
    }
    reference = next((each.trial.checks for each in judgements if each.trial.job == REFERENCE_JOB), {})
    wanted = frozenset(demands())
    for check, requirement in reference.items():
        if requirement in wanted and check not in catching:
            yield f"{check} catches no fault of {requirement}."
    yield from silent_findings(judgements)


def silent_findings(judgements: Iterable[Judgement]) -> Iterator[str]:
    """Yield each finding on a fault's own requirement that does not name the field, status or value concerned."""
    for trial, fault in _caught(judgements):
        for said in trial.said:
            if said.requirement == fault.requirement and said.verdict in BAD and not names_what_is_wrong(said):
                yield f"{fault.name}: the finding on {said.requirement} does not name what is wrong: {said.message}"


def names_what_is_wrong(said: Said) -> bool:
    """Tell whether a message names the field that its requirement is about, or else anything expected or received."""
    field = _field(said.requirement)
    if field:
        return field in said.message
    return bool(_words(said.message) & (_words(said.expected) | _words(said.actual) | _all_fields()))


def _field(requirement: str) -> str:
    """Return the field that a requirement of the tables is about, otherwise nothing."""
    clause, _, slug = requirement.partition("-")
    return slug.partition("-")[0] if clause in _TABLES_OF_FIELDS else ""


@cache
def _all_fields() -> frozenset[str]:
    return frozenset(_field(requirement).lower() for requirement in catalogue().rows) - {"", "object"}


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _TELLING.findall(text)) - _FILLERS


def _caught(judgements: Iterable[Judgement]) -> Iterator[tuple[Trial, Fault]]:
    for each in judgements:
        variant = each.trial.job.variant
        if each.caught and isinstance(variant, Fault):
            yield each.trial, variant
