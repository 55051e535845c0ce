"""A run: the target and the connection to it, options, selection and machine, its conditions, and what it concludes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from conformance.model.errors import NotDecided
from conformance.model.findings import Crash
from conformance.model.results import RequirementResult, Summary, Waiver
from conformance.model.target import Target
from conformance.model.verdict import Outcome


@dataclass(frozen=True, kw_only=True)
class Tls:
    """A TLS connection."""

    version: str
    certificate_sha256: str


@dataclass(kw_only=True)
class CheckedTarget:
    """The service that was checked, and what the connections of the run led to."""

    base_url: str = ""
    addresses: tuple[str, ...] = ()
    tls: Tls | None = None
    """The first trusted TLS connection."""


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The machine of the suite: versions of Python, of the platform and of the suite's dependencies."""

    python: str = ""
    platform: str = ""
    dependencies: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    """Digest of the installed modules of each package; none where it is not known."""


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """How the run was made: options that can change a verdict or the traffic, labels of the user, and environment."""

    options: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    nonce: str = ""
    """The challenge of a regulator, which was in the User-Agent of every request; may be empty."""
    pseudonym_key: str = ""
    """The id of the key of --pseudonym-key, which shows nothing of the key; empty if none was given."""
    help_base: str = ""
    """The address of a documentation site to which views link, without a slash at its end; empty if none was given."""
    environment: Environment = Environment()


@dataclass(frozen=True, kw_only=True)
class Scope:
    """The profile, set and selection of the run; `left_out` are the scored ids that it therefore did not decide.

    `undeclared` are those that only a declaration of the tester could decide, such as the language selector.
    """

    profile: str = "full"
    set: str = ""
    """Name of the set of requirements that are scored; empty if the whole catalogue is."""
    select: tuple[str, ...] = ()
    deselect: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    """The ids and clauses whose checks alone ran; empty if others may have run."""
    left_out: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()


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


@dataclass(frozen=True)
class Conditions:
    """What a run knew or decided that its exchanges do not show, and the results of its scenarios.

    Evidence holds it as JSON, without what has its default.
    """

    target: Target = field(default_factory=lambda: Target(base_url=""))
    """Evidence has it without its address, which the report has, and without credentials."""
    clock_was_set: float = 0.0
    """By how many seconds the wall clock of the machine was set while the run went on."""
    users: tuple[str, ...] = ()
    """The labels of the users whose tokens the run had."""
    refused_tokens: tuple[str, ...] = ()
    """The labels of the real tokens that the service must not accept."""
    completes: bool = False
    """Whether the tester gave a command that completes a request."""
    time_is_up: NotDecided | None = None
    """The reason for what was not tested because the time of the run ended; None if it did not end."""
    ended_before: str = ""
    """The first check whose calls were not all made; empty if all were."""
    interrupted: bool = False
    crashes: tuple[Crash, ...] = ()
    """The crashes of the suite before it judged, but for those that ended a scenario."""
    ever_listed: tuple[str, ...] | None = None
    """Every identifier of a data type that the service listed during the run; None if it listed none."""
    created: int = 0
    """Number of different identifiers of requests that the run created, as its journal counts them."""
    deleted: int = 0
    not_found: int = 0
    """Numbers of those whose deletion was confirmed, or answered with 404 or 410."""
    left_behind: int = 0
    """Number of requests that the clean-up left, or may have left."""
    left: str = ""
    """The identifier of the request that the run left at the service on purpose; empty for none."""
    selector_is_unknown: bool = False
    """Whether the service publishes several languages, and no selector that the run tried has an effect."""
    results: dict[str, Any] = field(default_factory=dict)
    """What each scenario returned, by its name, as `trace/codec.py` writes it."""
    is_recorded_traffic: bool = False
    """Whether another program made the calls: what they do not decide was not observed."""
    ends: dict[str, Any] = field(default_factory=dict)
    """The exception that ended each scenario which returned nothing, by its name."""
