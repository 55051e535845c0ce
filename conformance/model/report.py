"""The result of a run: what `report.json` holds, and all that the views are rendered from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from conformance.model.findings import Finding, Note
from conformance.model.requirements import catalogue
from conformance.model.score import Calibration
from conformance.model.verdict import EXIT_OF_OUTCOME, Exit, Level, Outcome, Verdict

SCHEMA_VERSION = 1

ALL_ALERTS: Final = "alerts"
"""Stands for every alert among the alerts that count as failures."""


@dataclass(frozen=True, kw_only=True)
class RequirementResult:
    """The verdict on one requirement, with the checks that led to it."""

    id: str
    clause: str
    level: Level
    statement: str
    verdict: Verdict
    reading: str = ""
    reason: str = ""
    """Why there is neither pass nor finding: left out of the selection, or not testable."""
    checks: tuple[str, ...] = ()
    findings: tuple[Finding[str], ...] = ()
    proofs: int | None = None
    """How many faults the suite was seen to catch at this requirement; None where none was looked for."""


@dataclass(frozen=True, kw_only=True)
class Crash:
    """A fault of the suite itself: an exception that nothing in the suite expects."""

    where: tuple[str, ...]
    """The checks that met it, or the part of the suite that it was raised in."""
    exception: str
    requirements: tuple[str, ...]
    """The ids that it left inconclusive, unless something else found them broken."""
    traceback: str


@dataclass(frozen=True, kw_only=True)
class Musts:
    """The two numbers of the headline: kept of decided, decided of testable."""

    testable: int
    decided: int
    kept: int


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The run in numbers.

    `created` counts the different identifiers that creations named. It is the sum of `deleted`, `not_found` and those
    of `left_behind` that have an identifier; `left_behind` also counts requests that may exist without one.
    """

    must: Musts
    verdicts: dict[str, int]
    exchanges: int
    created: int
    deleted: int
    not_found: int
    left_behind: int


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What was asked for; `left_out` are the ids that were therefore not looked at."""

    profile: str = "full"
    select: tuple[str, ...] = ()
    deselect: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Suite:
    """What came to the verdicts, and what it was seen to be worth."""

    name: str
    version: str
    catalogue: str
    """Digest of the catalogue of requirements."""
    calibration: Calibration | None = None
    """The score that ships with the suite; None where none does."""


@dataclass(frozen=True, kw_only=True)
class IdentifierTest:
    """One statistical test of the identifiers; `probability` is None where it had nothing to say."""

    name: str
    requirement: str
    question: str
    came: str
    probability: float | None
    """At most this, for a random generator."""
    verdict: str
    """"found" or "nothing-found"."""
    detects: str
    """The smallest defect that is found with probability 0.99, at the number of identifiers that was wanted."""


@dataclass(frozen=True, kw_only=True)
class Identifiers:
    """The identifiers that the run's user was given, and how random they are (2.1)."""

    seen: int
    wanted: int
    in_certain_order: int
    """As many as were drawn one after another; of those drawn at the same time one is counted."""
    shown: tuple[str, ...]
    """The first ones, in the order in which they were asked for."""
    clock: str
    """The clock inside them, in words; empty where there is none."""
    judged: int
    """So many bits of each should be random."""
    not_judged: tuple[tuple[int, int], ...]
    """The other bits, as pairs of the first, counted from 0 at the most significant, and how many follow it."""
    level: float
    """A test speaks against the identifiers below this probability."""
    tests: tuple[IdentifierTest, ...]


@dataclass(frozen=True, kw_only=True)
class Report:
    """A whole run. Times are RFC 3339 in UTC."""

    complete: bool
    outcome: Outcome
    strict: bool
    suite: Suite
    target: dict[str, str]
    started: str
    finished: str
    seed: int
    scope: Scope
    summary: Summary
    notes: tuple[Note, ...]
    requirements: tuple[RequirementResult, ...]
    identifiers: Identifiers | None = None
    crashes: tuple[Crash, ...] = ()
    """Where there is one, the run never conforms."""
    alerts: tuple[str, ...] = ()
    """Ids of the requirements with an alert, in the order of the catalogue."""
    fail_on: tuple[str, ...] = ()
    """The alerts that count as failures: ids, or ALL_ALERTS."""
    schema_version: int = field(default=SCHEMA_VERSION)

    @property
    def exit_code(self) -> Exit:
        """Exit code of the run."""
        return Exit.BROKEN if self.crashes else EXIT_OF_OUTCOME[self.outcome]

    def as_data(self, clean: Callable[[str], str] = str) -> dict[str, Any]:
        """Return the report as JSON-compatible data, in the shape of `schemas/report.schema.json`.

        `clean` takes the secrets out of each text that may quote the target or the user. All other texts are the
        suite's own words. A token may be one of these words, so they stay as they are.
        """
        data = asdict(self)
        findings = [finding for row in data["requirements"] for finding in row["findings"]]
        identifiers = data["identifiers"] or {"shown": (), "tests": ()}
        for quoting in (
            data["target"],
            *data["notes"],
            *findings,
            *(step for finding in findings for step in finding["steps"]),
            identifiers,
            *identifiers["tests"],
            *data["crashes"],
        ):
            quoting.update({name: clean(quoting[name]) for name in _QUOTING if name in quoting})
        identifiers["shown"] = tuple(map(clean, identifiers["shown"]))
        for note in data["notes"]:
            del note["exit_code"]
        return data


_QUOTING: Final = (
    *("base_url", "message", "expected", "actual", "remedy", "curl", "text", "clock", "came", "exception", "traceback"),
)
"""Members of a report that may quote the target or the user."""


def alerts_of(results: Iterable[RequirementResult]) -> tuple[str, ...]:
    """Return the ids of the requirements with an alert, in their order."""
    return tuple(row.id for row in results if any(finding.alert for finding in row.findings))


def counted(alerts: Iterable[str], fail_on: Collection[str]) -> tuple[str, ...]:
    """Return the `alerts` that `fail_on` turns into failures."""
    return tuple(each for each in alerts if each in fail_on or ALL_ALERTS in fail_on)


def summarise(
    results: tuple[RequirementResult, ...],
    *,
    exchanges: int,
    created: int,
    deleted: int,
    not_found: int,
    left_behind: int,
) -> Summary:
    """Count what `results` say. What a profile or selection left out is testable all the same."""
    rows = catalogue().rows
    musts = [row.verdict for row in results if row.level is Level.MUST and not rows[row.id].untestable]
    kept = musts.count(Verdict.PASS)
    return Summary(
        must=Musts(testable=len(musts), decided=kept + musts.count(Verdict.FAIL), kept=kept),
        verdicts={verdict.value: sum(row.verdict is verdict for row in results) for verdict in Verdict},
        exchanges=exchanges,
        created=created,
        deleted=deleted,
        not_found=not_found,
        left_behind=left_behind,
    )
