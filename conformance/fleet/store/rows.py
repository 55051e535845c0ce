"""What a store returns: a class for each table and each view, with the names of its columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import msgspec

from conformance.fleet.moments import Moment
from conformance.model.verdict import Blame, Level, Outcome, Verdict
from conformance.trust.archive import EvidenceFault


class StoreFault(EvidenceFault):
    """A store, or a run for it, that cannot be used; the message says why, `remedy` what to do."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """A service under its name, which is unique in a store."""

    name: str
    base_url: str
    authority: str = ""
    """Who allowed its audit, or consented to it; empty if that is not recorded."""
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Audit:
    """Runs of several services that belong together."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}\Z")]
    """32 hexadecimal digits, unique everywhere."""
    name: str
    started: Moment
    finished: Moment | None
    """None while it goes on, or when it was broken off."""


@dataclass(frozen=True, kw_only=True)
class Unreported:
    """A service of which an audit has no report."""

    audit: str
    target: str
    base_url: str
    state: Literal["unreachable", "not-run", "ended", "broken", "interrupted"]
    """As in audit.json."""
    message: str
    started: str
    """When the audit began."""


@dataclass(frozen=True, kw_only=True)
class StoredRun:
    """A run of one service. The numbers are those of the scored requirements, as in `summary` of report.json."""

    id: int
    target: str
    """Name of the target."""
    audit: str | None
    """Id of the audit, if the run belongs to one."""
    base_url: str
    """The address that this run checked."""
    started: str
    finished: str
    outcome: Outcome
    complete: bool
    profile: str
    requirement_set: str
    """Name of the set of requirements that decided the outcome; empty for the whole catalogue."""
    testable: int
    decided: int
    passed: int
    """Of the requirements of level `must`: `passed` of `decided`, and `decided` of `testable`."""
    failed: int
    warnings: int
    waived: int
    """How many of the failed requirements are waived."""
    alerts: int
    exchanges: int
    left_behind: int
    suite_version: str
    suite_build: str
    catalogue: str
    edition: str
    """Digests of the catalogue and of the edition of the specification."""
    labels: dict[str, str]
    """Those of `check --label`."""
    evidence: str
    report: str
    """Digests of evidence.har and report.json, as in `digests` of report.json."""
    bundle: str
    """SHA-256 of the bundle that has the run, as 64 hexadecimal digits."""
    bundle_size: int
    """Bytes of the bundle."""
    added: str


@dataclass(frozen=True, kw_only=True)
class LatestRun(StoredRun):
    """The latest run of a service (view `latest_runs`)."""

    runs: int
    """How many runs of the service the store has."""


@dataclass(frozen=True, kw_only=True)
class AuditedRun(StoredRun):
    """A run of an audit, with what the run before of the same service said; None for its first run."""

    outcome_before: Outcome | None
    failed_before: int | None


@dataclass(frozen=True, kw_only=True)
class StoredVerdict:
    """The verdict of one run on one requirement, in the order of the catalogue."""

    requirement: str
    clause: str
    level: Level
    basis: str
    verdict: Verdict
    alert: bool
    waived: bool
    scored: bool
    reason: str
    """Why there is no verdict by a check; empty otherwise."""


@dataclass(frozen=True, kw_only=True)
class FailingRequirement:
    """A requirement that the latest run of a service failed (view `failing_requirements`)."""

    requirement: str
    clause: str
    target: str
    run: int
    base_url: str
    started: str
    since: str
    """Start of the first run that failed it after the last one that passed it."""
    waived: bool
    message: str
    """That of the first finding."""


@dataclass(frozen=True, kw_only=True)
class Regression(FailingRequirement):
    """A failing requirement that the last run before, of those that decided it, passed (view `regressions`)."""

    run_before: int
    started_before: str
    suite_build: str
    suite_build_before: str
    """Where the builds of the suite differ, the suite may have changed, not the service."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """A requirement whose verdict is another one than in the run before."""

    run: int
    requirement: str
    before: Verdict
    verdict: Verdict


@dataclass(frozen=True, kw_only=True)
class StoredFinding:
    """A finding of a run, in the order of the report."""

    requirement: str
    position: int
    """1 for the first finding of the requirement."""
    check_name: str
    verdict: Verdict
    blame: Blame
    message: str
    expected: str
    actual: str
    remedy: str
    alert: bool
    exchanges: tuple[str, ...]
    """Ids in evidence.har."""


@dataclass(frozen=True, kw_only=True)
class Observed:
    """What the latest run of a service observed in an open matter."""

    requirement: str
    target: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What a person stated about a requirement of a run."""

    requirement: str
    position: int
    """1 for the first statement of its kind in the run."""
    kind: str
    """attestation, reply or waiver."""
    statement: str
    """Of a waiver, its reason."""
    name: str
    """Who states it; of a waiver, its owner."""
    stated: str
    """Day of an attestation or reply, as RFC 3339 full-date; empty for a waiver."""
    expires: str
    """Of a waiver, its last day; empty otherwise."""
    state: str
    """Of a waiver: in-force, expired or unused; empty otherwise."""
    finding: str
    """Of a waiver, the regular expression for the messages that it covers; empty otherwise, and if it covers all."""
    document: str
    document_sha256: str
    """Name and digest of the attached document; empty without one."""
    key: str
    """Fingerprint of the key that signed a reply; empty if none did. `verify` checks the signature in the bundle."""


@dataclass(frozen=True, kw_only=True)
class Publication:
    """That a service may be in a public register. The right to test it is another matter: `Target.authority`."""

    target: str
    basis: str
    """consent, of the organisation, or authority, of who publishes it without."""
    statement: str
    """Who consented, or which authority, and where that is on record. A register does not show it."""
    stated: str
    """Day, as RFC 3339 full-date."""
    since: str
    """Start of the first run that may be published: the latest one when this was recorded."""
    recorded: str
    ended: str
    """When the consent was taken back, or the authority ended; empty while the service may be published."""


@dataclass(frozen=True, kw_only=True)
class Withdrawal:
    """That the status of a run does not hold any more."""

    run: int
    reason: str
    stated: str
    """Day, as RFC 3339 full-date."""
    recorded: str


@dataclass(frozen=True, kw_only=True)
class Witness:
    """What `witness --attest` wrote about a bundle of a run. The signature is checked when it is used."""

    run: int
    sha256: str
    """Digest of the envelope."""
    bundle: str
    envelope: str
    """The DSSE envelope, as JSON."""
    recorded: str


@dataclass(frozen=True, kw_only=True)
class Party:
    """Someone whom the keeper of a store knows to be independent of its services, by a key."""

    key: str
    """SHA-256 fingerprint of the key as SubjectPublicKeyInfo, as `bundle --sign` prints it."""
    name: str
    public_key: str
    """The key, in PEM form."""
    recorded: str


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """What an import asks the keeper of a store to take for true. It has no effect until it is accepted."""

    id: str
    """12 hexadecimal digits, of the digest of its kind and content."""
    kind: str
    """runs, audit, party or publication."""
    content: dict[str, Any]
    source: str
    """Name of the imported folder."""
    recorded: str
    accepted: str
    """When the keeper accepted it; empty before."""
