"""What a run concludes: verdicts, notes and outcome."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.model.findings import Crash, Note
from conformance.model.results import RequirementResult, Summary, Waiver
from conformance.model.run_record import CheckedTarget, RunRecord, Scope
from conformance.model.verdict import Outcome


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """The conclusion of a run. Times are RFC 3339 in UTC."""

    complete: bool
    outcome: Outcome
    strict: bool
    target: CheckedTarget
    confirmations: tuple[str, ...] = ()
    """What the tester confirmed and the suite cannot see, by the names of `CONFIRMATIONS`."""
    run: RunRecord = field(default_factory=RunRecord)
    started: str
    finished: str
    seed: int
    scope: Scope
    summary: Summary
    notes: tuple[Note, ...]
    requirements: tuple[RequirementResult, ...]
    crashes: tuple[Crash, ...] = ()
    """With a crash the outcome is never conforms."""
    alerts: tuple[str, ...] = ()
    """Ids of the requirements with an alert, in the order of the catalogue."""
    fail_on: tuple[str, ...] = ()
    """The alerts that count as failures: ids, or ALL_ALERTS."""
    waivers: tuple[Waiver, ...] = ()
    quoted: dict[str, str] = field(default_factory=dict)
    """The words of the specification by place, which views quote: of a reader's copy, or of a run that keeps them."""
