"""Findings and notes: what a run says of a requirement, and of itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from conformance.model.exchange import Exchange
from conformance.model.requirements import Requirement
from conformance.model.verdict import Blame, Exit, Verdict

Shown = TypeVar("Shown", Exchange, str)
"""How a finding names an exchange: as the exchange itself during a run, by its id in evidence.har in a report."""


@dataclass(frozen=True, kw_only=True)
class Step(Generic[Shown]):
    """One step of the shortest sequence of calls that shows a finding."""

    text: str
    exchange: Shown
    curl: str = ""


@dataclass(frozen=True, kw_only=True)
class Finding(Generic[Shown]):
    """One thing that a run says of a requirement, with the exchanges that show it, the clearest first."""

    check: str = ""
    verdict: Verdict
    blame: Blame
    message: str
    expected: str = ""
    actual: str = ""
    remedy: str = ""
    exchanges: tuple[Shown, ...] = ()
    curl: str = ""
    """In a report: the shell line that repeats the first exchange, with the token as $DRSI_TOKEN."""
    steps: tuple[Step[Shown], ...] = ()
    """The shortest sequence of calls that shows it, where one call alone does not."""
    alert: bool = False
    """A serious observation in a matter that the specification leaves open; never a fault of the target."""


@dataclass
class CheckResult:
    """The result of one check for one requirement. A check that passes may have no findings."""

    requirement: Requirement
    check: str
    verdict: Verdict
    findings: list[Finding[Exchange]] = field(default_factory=list)
    decides: bool = True
    """Whether the verdict of the requirement depends on this check."""


@dataclass(frozen=True)
class Note:
    """Something about the run itself that a reader has to know."""

    blame: Blame
    message: str
    remedy: str = ""
    exit_code: Exit | None = None
    """Set where the run cannot begin."""
