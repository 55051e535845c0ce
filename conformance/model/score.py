"""The score of the suite: its measures, what a report states of it, and the score that ships with the suite."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

MEASURES: Mapping[str, str] = {
    "sensitivity": "faults whose own requirement was reported as violated",
    "attribution": "faults for which only declared requirements were reported",
    "specificity": "conforming services without failures and without undeclared warnings or inconclusive verdicts",
    "specificity_unconfirmed": "the same of conforming services that contradict --empty-account, run without it",
    "sensitivity_with_options": "faults that only further options decide, run with them: found, nothing else reported",
    "specificity_with_options": "conforming services run with further options, such as --complete-command",
    "combined_sensitivity": "faults in combinations that were found, or reported as hidden by another fault",
    "combined_attribution": "combinations of faults for which only declared requirements were reported",
    "stability": "services with the same verdicts under other seeds",
}
"""Name and meaning of each measure."""

FILE = "score.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A count of a total."""

    kept: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What a report states of the suite that made it, in the shape of `$defs/calibration` of `report.schema.json`."""

    measured: str
    """When, RFC 3339 in UTC."""
    version: str
    """Of the suite that was measured."""
    catalogue: str
    """Digest of the catalogue that it had."""
    sensitivity: Measure
    attribution: Measure
    specificity: Measure
    specificity_unconfirmed: Measure | None = None
    """Of services whose accounts are not empty, which are run without --empty-account."""
    sensitivity_with_options: Measure | None = None
    """Of faults that only options beside those of README decide, such as --complete-command."""
    specificity_with_options: Measure | None = None
    combined_sensitivity: Measure | None
    combined_attribution: Measure | None
    stability: Measure | None
    repetitions: int
    excused: int


@cache
def published() -> dict[str, Any] | None:
    """Return the score that ships with the suite, in the shape of `$defs/published` of `calibration.schema.json`.

    None where no score ships.
    """
    try:
        text = (files("conformance") / "calibration" / FILE).read_text("utf-8")
    except FileNotFoundError:
        return None
    document: dict[str, Any] = json.loads(text)
    return document


def calibration() -> Calibration | None:
    """Return the published score as reports state it, None where no score ships."""
    document = published()
    if document is None:
        return None
    suite = {name: document["suite"][name] for name in ("version", "catalogue")}
    none = dict.fromkeys(MEASURES)
    return msgspec.convert({**none, **document["score"], **suite, "measured": document["measured"]}, Calibration)


def proofs() -> Mapping[str, int]:
    """Return the number of detected faults by requirement."""
    document = published()
    counted: Mapping[str, int] = document["score"]["proofs"] if document else {}
    return counted
