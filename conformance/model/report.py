"""The result of a run: the contents of `report.json`, and the only source of every view."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from conformance.model.findings import Note
from conformance.model.run_record import RunReport
from conformance.model.score import Calibration
from conformance.model.verdict import Outcome

SCHEMA_VERSION = 2

ReportData = dict[str, Any]
"""The contents of report.json, in the shape of `schemas/report.schema.json`."""


@dataclass(frozen=True, kw_only=True)
class Suite:
    """The suite that made the run, with its measured score."""

    name: str
    version: str
    catalogue: str
    """Digest of the catalogue of requirements."""
    build: str = ""
    """Digest of the suite's own code; empty in reports of builds that recorded none."""
    edition: str = ""
    """Digest of the normalised text of the specification that the catalogue was derived from."""
    calibration: Calibration | None = None
    """The score that ships with the suite, if one does."""


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
class Reply(Attestation):
    """What the audited organisation answered to the findings of a requirement."""

    key: str = ""
    """Fingerprint of the key that signed the reply; empty if it is not signed, and the next two as well."""
    public_key: str = ""
    """The key in PEM form."""
    signature: str = ""
    """The DSSE envelope of the signature, as JSON."""


@dataclass(frozen=True, kw_only=True)
class Digests:
    """Digests of evidence.har, and of report.json without this member."""

    evidence: str
    report: str


@dataclass(frozen=True, kw_only=True)
class RepeatedRun:
    """One repetition of a run: its folder beside the joined report, and the digest of its report."""

    folder: str
    outcome: Outcome
    report: str


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
class Report(RunReport):
    """A whole run, with what a reader must know of it, of the suite and of the identifiers.

    People add statements after it.
    """

    notes: tuple[Note, ...]
    suite: Suite
    identifiers: Identifiers | None = None
    attestations: tuple[Attestation, ...] = ()
    """Empty when the run ends; `drsi-conformance attest` adds them."""
    replies: tuple[Reply, ...] = ()
    """Empty when the run ends; `drsi-conformance reply` adds them."""
    repetitions: tuple[RepeatedRun, ...] = ()
    """The runs that this report joins; empty for a single run."""
    schema_version: int = field(default=SCHEMA_VERSION)
    digests: Digests | None = None
    """None until the run is recorded."""
