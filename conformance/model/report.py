"""The result of a run: the contents of `report.json`, and the only source of every view."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from conformance.model.findings import Crash, Finding, Note
from conformance.model.probe import OF_TYPES
from conformance.model.requirements import catalogue
from conformance.model.score import Calibration
from conformance.model.verdict import Basis, Level, Outcome, Verdict

SCHEMA_VERSION = 2

ALL_ALERTS: Final = "alerts"
"""The value of `fail_on` that stands for every alert."""

IN_FORCE, EXPIRED, UNUSED = "in-force", "expired", "unused"
"""The states of a waiver. One that is not in force is stale."""


ReportData = dict[str, Any]
"""The contents of report.json, in the shape of `schemas/report.schema.json`."""


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
    decided_by: str = ""
    """What would decide it, such as an option, if this run did not; empty where nothing has to or can."""
    checks: tuple[str, ...] = ()
    findings: tuple[Finding[str], ...] = ()
    evidence: Evidence = Evidence()
    seconds: float = 0.0
    """Duration of its checks, with the scenarios that they were the first to read."""
    waived: bool = False
    """Whether waivers in force cover every failure. The verdict stays as it is."""
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
    exchanges: int
    created: int
    deleted: int
    not_found: int
    left_behind: int


@dataclass(frozen=True, kw_only=True)
class Tls:
    """The first TLS connection of the run."""

    version: str
    certificate_sha256: str


@dataclass(frozen=True, kw_only=True)
class CheckedTarget:
    """The service that was checked; `addresses` are those that the run connected to."""

    base_url: str
    addresses: tuple[str, ...] = ()
    tls: Tls | None = None


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The machine of the suite: versions of Python, of the platform and of the suite's dependencies."""

    python: str = ""
    platform: str = ""
    dependencies: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    """Digest of the installed modules of each package, the suite's own included; none where it is not known."""


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """How the run was made: options that can change a verdict or the traffic, labels of the user, and environment."""

    options: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    nonce: str = ""
    """The challenge of a regulator, which was in the User-Agent of every request; may be empty."""
    pseudonym_key: str = ""
    """The id of the key of --pseudonym-key, which shows nothing of the key; empty if none was given."""
    environment: Environment = Environment()


@dataclass(frozen=True, kw_only=True)
class Scope:
    """The profile and selection of the run; `left_out` are the ids that it therefore did not decide.

    `undeclared` are those that only a declaration of the tester could decide, such as the language selector.
    """

    profile: str = "full"
    select: tuple[str, ...] = ()
    deselect: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    """The ids and clauses whose checks alone ran; empty if others may have run."""
    left_out: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Suite:
    """The suite that made the run, with its measured score."""

    name: str
    version: str
    catalogue: str
    """Digest of the catalogue of requirements."""
    edition: str = ""
    """Digest of the normalised text of the specification that the catalogue was derived from."""
    calibration: Calibration | None = None
    """The score that ships with the suite, if one does."""


@dataclass(frozen=True, kw_only=True)
class IdentifierTest:
    """One statistical test of the identifiers; `probability` is None if it was not applicable."""

    name: str
    requirement: str
    question: str
    came: str
    probability: float | None
    """Upper bound of the probability of this result for a random generator."""
    verdict: str
    """"found" or "nothing-found"."""
    detects: str
    """The smallest defect that the test finds with probability 0.99 in the wanted number of identifiers."""


@dataclass(frozen=True, kw_only=True)
class Identifiers:
    """The identifiers that the run's user received, and the tests of their randomness (2.1)."""

    seen: int
    wanted: int
    in_certain_order: int
    """Number of identifiers created one after another; of simultaneous creations one counts."""
    shown: tuple[str, ...]
    """The first identifiers, in the order of their creation calls."""
    clock: str
    """The clock in the identifiers, in words; empty if there is none."""
    judged: int
    """Number of bits of each identifier that should be random."""
    not_judged: tuple[tuple[int, int], ...]
    """The other bits, as pairs: the first bit, counted from 0 at the most significant, and the number of bits."""
    level: float
    """A test finds a defect below this probability."""
    tests: tuple[IdentifierTest, ...]


@dataclass(frozen=True, kw_only=True)
class Document:
    """A file that a person attached to an attestation."""

    name: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Attestation:
    """What a person stated after the run about a requirement that no client can decide."""

    requirement: str
    statement: str
    name: str
    date: str
    """RFC 3339 full-date."""
    document: Document | None


@dataclass(frozen=True, kw_only=True)
class Digests:
    """Digests of evidence.har, and of report.json without this member."""

    evidence: str
    report: str


@dataclass(frozen=True, kw_only=True)
class Report:
    """A whole run. Times are RFC 3339 in UTC."""

    complete: bool
    outcome: Outcome
    strict: bool
    suite: Suite
    target: CheckedTarget
    confirmations: tuple[str, ...] = ()
    """What the tester confirmed and the suite cannot see, by the names of `CONFIRMATIONS`."""
    run: RunRecord = RunRecord()
    started: str
    finished: str
    seed: int
    scope: Scope
    summary: Summary
    notes: tuple[Note, ...]
    requirements: tuple[RequirementResult, ...]
    identifiers: Identifiers | None = None
    crashes: tuple[Crash, ...] = ()
    """With a crash the outcome is never conforms."""
    alerts: tuple[str, ...] = ()
    """Ids of the requirements with an alert, in the order of the catalogue."""
    fail_on: tuple[str, ...] = ()
    """The alerts that count as failures: ids, or ALL_ALERTS."""
    waivers: tuple[Waiver, ...] = ()
    attestations: tuple[Attestation, ...] = ()
    """Empty when the run ends; `drsi-conformance attest` adds them."""
    schema_version: int = field(default=SCHEMA_VERSION)
    digests: Digests | None = None
    """None until the run is recorded."""
    quoted: dict[str, str] = field(default_factory=dict)
    """The words of the specification by place, which views quote; no report.json has them."""

    @classmethod
    def from_data(cls, data: ReportData) -> Report:
        """Return the report in `data`, which has the shape of `schemas/report.schema.json`.

        A member that an older version did not write has its default. Raise msgspec.ValidationError for another shape.
        """
        import msgspec  # only commands that read a report need it

        return msgspec.convert(data, cls)

    def as_data(
        self, clean: Callable[[str], str] = str, clean_of_user: Callable[[str], str] | None = None
    ) -> ReportData:
        """Return the report as JSON-compatible data, in the shape of `schemas/report.schema.json`.

        `clean` takes secrets and personal values out of each text that may quote the target, and `clean_of_user` the
        secrets out of what the user wrote, such as labels; without it `clean` does. All other texts are the suite's
        own words. A token may be one of these words, so they stay as they are.
        """
        clean_of_user = clean_of_user or clean
        data = asdict(self)
        findings = [finding for row in data["requirements"] for finding in row["findings"]]
        identifiers = data["identifiers"] or {"shown": (), "tests": ()}
        for given in (data["target"], *data["waivers"]):
            given.update({name: clean_of_user(given[name]) for name in _QUOTING if name in given})
        for quoting in (
            *data["notes"],
            *findings,
            *(step for finding in findings for step in finding["steps"]),
            identifiers,
            *identifiers["tests"],
            *data["crashes"],
        ):
            quoting.update({name: clean(quoting[name]) for name in _QUOTING if name in quoting})
        for probe in (finding["probe"] for finding in findings):
            if probe is not None and probe["kind"] in OF_TYPES:
                probe["values"] = tuple(map(clean, probe["values"]))
        for row in data["requirements"]:
            row["decided_by"] = clean(row["decided_by"])
        identifiers["shown"] = tuple(map(clean, identifiers["shown"]))
        data["target"]["addresses"] = tuple(map(clean_of_user, data["target"]["addresses"]))
        run = data["run"]
        run["options"] = {key: _cleaned(value, clean_of_user) for key, value in run["options"].items()}
        run["labels"] = {clean_of_user(key): clean_of_user(value) for key, value in run["labels"].items()}
        run["nonce"] = clean_of_user(run["nonce"])
        for note in data["notes"]:
            del note["exit_code"]
        for finding in findings:
            if not finding["server"]:
                del finding["server"]
        del data["quoted"]
        if self.digests is None:
            del data["digests"]
        return data


def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    return clean(value) if isinstance(value, str) else value


_QUOTING: Final = (
    *("reason", "owner", "finding"),
    *(
        "base_url",
        "message",
        "expected",
        "actual",
        "server",
        "remedy",
        "curl",
        "text",
        "clock",
        "came",
        "exception",
        "traceback",
    ),
)
"""Members of a report that may quote the target or the user."""


def is_violated(row: RequirementResult, verdict: Verdict, *, strict: bool) -> bool:
    """Tell whether `verdict` on `row`, or on one of its findings, counts as a failure; advice never does."""
    return verdict is Verdict.FAIL or (strict and verdict is Verdict.WARN and row.basis is not Basis.ADVICE)


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
    """Return the summary of `results`; requirements outside the profile or selection count as testable."""
    rows = catalogue().rows
    musts = [row.verdict for row in results if row.level is Level.MUST and not rows[row.id].untestable]
    passed = musts.count(Verdict.PASS)
    return Summary(
        must=Musts(testable=len(musts), decided=passed + musts.count(Verdict.FAIL), passed=passed),
        verdicts={verdict.value: sum(row.verdict is verdict for row in results) for verdict in Verdict},
        waived=sum(row.waived for row in results),
        exchanges=exchanges,
        created=created,
        deleted=deleted,
        not_found=not_found,
        left_behind=left_behind,
    )
