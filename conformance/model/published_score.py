"""The score that ships with the suite, and its measures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from conformance.model.score import Calibration

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
