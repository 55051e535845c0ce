"""The score of the suite: what its measures count, and what a report states of it."""

from __future__ import annotations

from dataclasses import dataclass


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
