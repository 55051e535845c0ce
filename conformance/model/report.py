"""The result of a run: the contents of `report.json`, and the only source of every view."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from conformance.model.findings import Note
from conformance.model.identifier_tests import Identifiers
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
