"""The results of requirements: their verdicts with findings and waivers, and what follows from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from conformance.model.findings import Finding
from conformance.model.requirements import catalogue
from conformance.model.verdict import Basis, Level, Verdict

ALL_ALERTS: Final = "alerts"
"""The value of `fail_on` that stands for every alert."""

IN_FORCE, EXPIRED, UNUSED = "in-force", "expired", "unused"
"""The states of a waiver. One that is not in force is stale."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The exchanges that decided a verdict, by their ids in evidence.har, and their number."""

    exchanges: tuple[str, ...] = ()
    count: int = 0


@dataclass(frozen=True, kw_only=True)
class Waiver:
    """A known failure that the owner of the service accepts until a date.

    A waiver with a `finding` covers only findings in whose message this regular expression is found.
    """

    requirement: str
    reason: str
    owner: str
    expires: str
    """RFC 3339 full-date: the last day on which it is in force."""
    finding: str = ""
    state: str = IN_FORCE
    """IN_FORCE, EXPIRED, or UNUSED: the run decided the requirement, and the waiver covers none of its findings."""


@dataclass(frozen=True, kw_only=True)
class Repetition:
    """The verdict of one repetition of a run, with its first message."""

    verdict: Verdict
    message: str


@dataclass(frozen=True, kw_only=True)
class RequirementResult:
    """The verdict on one requirement, with the checks that led to it."""

    id: str
    clause: str
    level: Level
    statement: str
    verdict: Verdict
    basis: Basis | None = None
    """None in a report of a version that did not name it."""
    places: tuple[str, ...] = ()
    """Where the specification says it."""
    basis_reason: str = ""
    """For an inferred requirement: why it follows from its places."""
    rejected: tuple[str, ...] = ()
    """For an inferred requirement: the other readings, each with the reason against it."""
    reading: str = ""
    reason: str = ""
    """Why there is no verdict by a check: not selected, not testable, or which failure prevented the test."""
    blocked_by: tuple[str, ...] = ()
    """Failed requirements because of which this one could not be tested."""
    follows_from: tuple[str, ...] = ()
    """Of a failed requirement: other failed ones from which its failure probably follows. It counts all the same."""
    decided_by: str = ""
    """What would decide it, such as an option, if this run did not; empty where nothing has to or can."""
    checks: tuple[str, ...] = ()
    findings: tuple[Finding[str], ...] = ()
    evidence: Evidence = Evidence()
    seconds: float = 0.0
    """Duration of its checks, with the scenarios that they were the first to read."""
    waived: bool = False
    """Whether waivers in force cover every failure. The verdict stays as it is."""
    scored: bool = True
    """Whether the set of the run scores it. If not, it is shown, and decides nothing."""
    repetitions: tuple[Repetition, ...] = ()
    """The verdicts of all repetitions, in the report that joins them. Where they differ it is unstable, and no pass."""
    proofs: int | None = None
    """Number of faults of this requirement that the suite detects; None if none was measured."""


@dataclass(frozen=True, kw_only=True)
class Musts:
    """The numbers of the headline: `passed` of `decided`, and `decided` of `testable`."""

    testable: int
    decided: int
    passed: int


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The run in numbers.

    `created` counts different identifiers: the sum of `deleted`, `not_found` and those of `left_behind` that have an
    identifier. `left_behind` also counts requests that may exist under an unknown identifier.
    """

    must: Musts
    verdicts: dict[str, int]
    waived: int
    """Number of failed requirements that are waived."""
    unscored: int = 0
    """Number of requirements that the set of the run does not score; `must` and `verdicts` do not count them."""
    exchanges: int
    created: int
    deleted: int
    not_found: int
    left_behind: int


def is_violated(row: RequirementResult, verdict: Verdict, *, strict: bool) -> bool:
    """Tell whether `verdict` on `row`, or on one of its findings, counts as a failure.

    Advice never does, nor does what the set of the run does not score.
    """
    return row.scored and (
        verdict is Verdict.FAIL or (strict and verdict is Verdict.WARN and row.basis is not Basis.ADVICE)
    )


def alerts_of(results: Iterable[RequirementResult]) -> tuple[str, ...]:
    """Return the ids of the scored requirements with an alert, in their order."""
    return tuple(row.id for row in results if row.scored and any(finding.alert for finding in row.findings))


def counted(alerts: Iterable[str], fail_on: Collection[str]) -> tuple[str, ...]:
    """Return the `alerts` that `fail_on` turns into failures."""
    return tuple(each for each in alerts if each in fail_on or ALL_ALERTS in fail_on)


def summarise(results: tuple[RequirementResult, ...], **traffic: int) -> Summary:
    """Return the summary of `results` and of the numbers of exchanges and data requests.

    Requirements outside the profile or selection count as testable.
    """
    rows = catalogue().rows
    scored = tuple(row for row in results if row.scored)
    musts = [row.verdict for row in scored if row.level is Level.MUST and not rows[row.id].untestable]
    passed = musts.count(Verdict.PASS)
    return Summary(
        must=Musts(testable=len(musts), decided=passed + musts.count(Verdict.FAIL), passed=passed),
        verdicts={verdict.value: sum(row.verdict is verdict for row in scored) for verdict in Verdict},
        waived=sum(row.waived for row in scored),
        unscored=len(results) - len(scored),
        **traffic,
    )
