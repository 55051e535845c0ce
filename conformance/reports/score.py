"""The measured score of the suite in words."""

from __future__ import annotations

from conformance.model.report import Report
from conformance.model.score import Calibration, Measure
from conformance.model.text import count

LIMITS_OF_THE_SELF_TEST = (
    "This is a self-test: one team wrote the checks and the services, so it does not show how many mistakes of other "
    "services the suite detects."
)


def calibration_sentence(report: Report) -> str:
    """Return which faults this suite detects, and how many false positives it has."""
    suite = report.suite
    known = suite.calibration
    if known is None:
        return "It is not known how many faults this suite detects: no score ships with it."
    faults = known.sensitivity
    sentences = [
        f"Of {count(faults.of, 'service')} with one known fault each, this suite detected the fault in "
        f"{_so_many(faults)}. For {_so_many(known.attribution)} it reported no unrelated violation. It had "
        f"{_false_positives(known.specificity)}. All runs used --empty-account{_unconfirmed(known)}."
        f"{_with_options(known)}"
    ]
    combinations, combined = known.combined_attribution, known.combined_sensitivity
    if combinations is not None and combined is not None:
        sentences.append(
            f"Of {count(combined.of, 'fault')} in {count(combinations.of, 'service')} with two or three faults, "
            f"it detected {_so_many(combined)}, or named the fault that hides them. For {_so_many(combinations)} "
            "services it reported no unrelated violation."
        )
    if known.stability is not None:
        sentences.append(
            f"Over {count(known.repetitions, 'repetition')} with other seeds "
            f"{_so_many(known.stability)} had the same verdicts."
        )
    sentences.append(LIMITS_OF_THE_SELF_TEST)
    if known.catalogue != suite.catalogue or known.version != suite.version:
        sentences.append(f"The measurement used version {known.version}, whose requirements may differ from these.")
    return " ".join(sentences)


def _unconfirmed(known: Calibration) -> str:
    """Return how the result of services that contradict --empty-account continues the sentence."""
    apart = known.specificity_unconfirmed
    if not apart:
        return ""
    return f", except those of services that contradict it, counted apart: {_false_positives(apart)}"


def _with_options(known: Calibration) -> str:
    """Return the sentence on services that were run with further options, if there were some."""
    faults, conforming = known.sensitivity_with_options, known.specificity_with_options
    if not faults or not conforming:
        return ""
    return (
        f" With further options, such as --complete-command, and counted apart: {faults.kept:,} of "
        f"{count(faults.of, 'fault')} detected, {_false_positives(conforming)}."
    )


def self_test_sentence(report: Report) -> str:
    """Return the same in a line or two, for the terminal."""
    known = report.suite.calibration
    if known is None:
        return calibration_sentence(report)
    older = "" if known.version == report.suite.version else f" (measured with version {known.version})"
    faults = f"{known.sensitivity.kept:,} of {known.sensitivity.of:,} known faults"
    return f"Self-test of the suite: {faults} detected, {_false_positives(known.specificity)}{older}."


def _false_positives(measure: Measure) -> str:
    false = measure.of - measure.kept
    number = count(false, "false positive") if false else "no false positives"
    return f"{number} on {count(measure.of, 'conforming service')}"


def _so_many(measure: Measure) -> str:
    return f"all {measure.of:,}" if measure.kept == measure.of else f"{measure.kept:,}"
