"""What checks say of a requirement, and what one check came to: the hop from a test report to a verdict."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.model.findings import ConfigurationFault, NotDecided, RequirementViolated
from conformance.model.requirements import Requirement
from conformance.model.verdict import Blame, Level, Verdict
from conformance.traffic.exchange import Exchange


@dataclass(frozen=True)
class Remark:
    """One thing a check says of a requirement; becomes a finding of the report."""

    verdict: Verdict
    blame: Blame
    message: str
    expected: str = ""
    actual: str = ""
    remedy: str = ""
    exchanges: tuple[Exchange, ...] = ()
    steps: tuple[tuple[str, Exchange], ...] = ()
    alert: bool = False
    """A serious observation; never a fault of the target."""


@dataclass
class CheckResult:
    """What one check came to."""

    requirement: Requirement
    check: str
    verdict: Verdict
    remarks: list[Remark] = field(default_factory=list)
    decides: bool = True
    """Whether the requirement rests on it; a further check that could not be exercised has nothing to add."""


def remark_of_broken(error: RequirementViolated, verdict: Verdict, row: Requirement) -> Remark:
    """Return what a check that found a requirement broken says of it."""
    return Remark(
        verdict,
        Blame.SPECIFICATION if row.level is Level.OPEN else Blame.TARGET,
        error.message,
        error.expected,
        error.actual,
        row.remedy,
        error.exchanges,
        error.steps,
    )


def remark_of_undecided(error: NotDecided | ConfigurationFault) -> Remark:
    """Return what a check that could not decide says of it."""
    if isinstance(error, ConfigurationFault):
        return Remark(Verdict.INCONCLUSIVE, Blame.CONFIGURATION, str(error), remedy=error.remedy)
    return Remark(error.verdict, error.blame, error.message, remedy=error.remedy, exchanges=error.exchanges)
