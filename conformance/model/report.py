"""The result of a run: the contents of `report.json`, and the only source of every view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from conformance.model.findings import Note
from conformance.model.run_record import RunReport
from conformance.model.score import Calibration
from conformance.model.verdict import Outcome

SCHEMA_VERSION = 2

ReportData = dict[str, Any]
"""The contents of report.json, in the shape of `schemas/report.schema.json`."""

OF_TYPES: Final = ("among", "set")
"""Kinds whose values are data types of the service."""


@dataclass(frozen=True, kw_only=True)
class Suite:
    """The suite that made the run, with its measured score."""

    name: str
    version: str
    catalogue: str
    """Digest of the catalogue of requirements."""
    build: str = ""
    """Digest of the suite's own code."""
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


def data_of(
    report: Report, clean: Callable[[str], str] = str, clean_of_user: Callable[[str], str] | None = None
) -> ReportData:
    """Return a report as JSON-compatible data, in the shape of `schemas/report.schema.json`.

    `clean` takes secrets and personal values out of each text that may quote the target, and `clean_of_user` the
    secrets out of what the user wrote, such as labels; without it `clean` does. All other texts are the suite's
    own words. A token may be one of these words, so they stay as they are.
    """
    clean_of_user = clean_of_user or clean
    data = asdict(report)
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
    if run["help_base"]:
        run["help_base"] = clean_of_user(run["help_base"])
    else:
        del run["help_base"]
    for note in data["notes"]:
        del note["exit_code"]
    for name, of in (
        ("exchanges", data["notes"]),
        ("traceback", data["notes"]),
        ("server", findings),
        ("repetitions", (data, *data["requirements"])),
        *((name, (data,)) for name in ("quoted", "digests")),
    ):
        for each in of:
            if not each[name]:
                del each[name]
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


def report_of(data: ReportData) -> Report:
    """Return the report in `data`, which has the shape of `schemas/report.schema.json`.

    A member that an older version did not write has its default. Raise msgspec.ValidationError for another shape.
    """
    import msgspec  # only commands that read a report need it

    return msgspec.convert(data, Report)
