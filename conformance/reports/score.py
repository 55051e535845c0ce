"""The measured score of the suite in words."""

from __future__ import annotations

from conformance.model.report import Report
from conformance.model.score import Measure
from conformance.model.text import count

LIMITS_OF_THE_SELF_TEST = (
    "This is a self-test: one team wrote the checks and the services, so it does not show how many mistakes of other "
    "services the suite detects."
)


def calibration_sentence(report: Report) -> str:
    """Return in a line or two how many faults this suite detects, and how many false positives it has."""
    known = report.suite.calibration
    if known is None:
        return "It is not known how many faults this suite detects: no score ships with it."
    older = "" if known.version == report.suite.version else f" (measured with version {known.version})"
    faults = f"{known.sensitivity.kept:,} of {known.sensitivity.of:,} known faults"
    return f"Self-test of the suite: {faults} detected, {_false_positives(known.specificity)}{older}."


def _false_positives(measure: Measure) -> str:
    false = measure.of - measure.kept
    number = count(false, "false positive") if false else "no false positives"
    return f"{number} on {count(measure.of, 'conforming service')}"
