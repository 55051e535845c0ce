"""What would decide a requirement that a run did not decide."""

from __future__ import annotations

from typing import Final

from conformance.judge.verdicts import LEFT_OUT, NOT_REACHED
from conformance.model.findings import CRASH_REMEDY
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.text import listed
from conformance.model.verdict import Blame, Level, Verdict

BY_REASON: Final = {
    LEFT_OUT: "A run with --profile full and without --select and --deselect.",
    NOT_REACHED: "A run that is not interrupted, with more time (--max-time).",
}

_BY_BLAME: Final = {
    Blame.TARGET: "Correct the responses that the finding names, then run again.",
    Blame.CREDENTIAL: "Give valid tokens of two accounts (DRSI_TOKEN, DRSI_OTHER_TOKEN), then run again.",
    Blame.NETWORK: "Make the service reachable and stable, then run again.",
    Blame.CONFIGURATION: "Change the option that the finding names, then run again.",
    Blame.SPECIFICATION: "Run again on a test system on which the finding does not apply.",
    Blame.SUITE: CRASH_REMEDY,
}

_UNTESTABLE: Final = "Evidence from inside the organisation, recorded with 'drsi-conformance attest'."


def decided_by(row: RequirementResult) -> str:
    """Return what would decide a requirement; "" if the run decided it, or if nothing has to or can."""
    if row.verdict is Verdict.NOT_TESTED:
        inside = _UNTESTABLE if row.level is not Level.OPEN else ""
        return inside if catalogue()[row.id].untestable else BY_REASON.get(row.reason, "")
    if row.verdict not in (Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE):
        return ""
    if row.blocked_by:
        return f"Correct {listed(row.blocked_by)}, then run again."
    for finding in row.findings:
        if finding.verdict is row.verdict:
            undecided = row.verdict is Verdict.INCONCLUSIVE
            return finding.remedy or (_BY_BLAME[finding.blame] if undecided else "")
    return BY_REASON.get(row.reason, "")
