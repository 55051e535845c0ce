"""Statements of people that are added to a recorded run: attestations of requirements, and replies to findings."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import click

from conformance.cli import specification as of_reader
from conformance.cli.errors import Failure, writing
from conformance.cli.option import together
from conformance.cli.recorded import RecordedRun, read
from conformance.cli.values import PATH
from conformance.trust import chain

if TYPE_CHECKING:
    from conformance.model.report import Attestation, Report

FOLDER = "attachments"
"""The folder of the attached documents, beside report.json."""

_Statement = TypeVar("_Statement", bound="Attestation")


@dataclass(frozen=True)
class Kind:
    """A kind of statement, and the words of messages about it."""

    member: str
    """The member of the report with the statements of this kind."""
    done: str
    """What the requirement is then, such as "attested"."""
    about: str
    """Which requirements take such a statement, in words."""
    subjects: Callable[[Report], list[str]]
    """The ids of these requirements."""


DATE: Final = click.option(
    "--date",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="When it was stated.  [default: today, in UTC]",
)


options = together(
    click.option("--statement", metavar="TEXT", help="What is stated."),
    DATE,
    click.option("--document", type=PATH, metavar="FILE", help="File to attach: it is copied, with its SHA-256."),
    of_reader.option,
)
"""What a person states, when, and with which document."""


def texts(**given: str | None) -> dict[str, str]:
    """Return the given texts without space around them; raise UsageError if one is missing or empty."""
    found = {name: (text or "").strip() for name, text in given.items()}
    if missing := [f"--{name}" for name, text in found.items() if not text]:
        raise click.UsageError(f"Expected a text for {', '.join(missing)}.")
    return found


def dated(date: datetime | None) -> str:
    """Return the date of a statement, by default today, as an RFC 3339 full-date."""
    return f"{date or datetime.now(UTC):%Y-%m-%d}"


def recorded(run: Path) -> RecordedRun:
    """Return the run in a folder, or of the report.json in it; raise UsageError for another file.

    Raise AlteredRun for an altered one: the report with a statement has a new digest.
    """
    from conformance.reports.files import DATA

    folder = run if run.is_dir() else run.parent
    if folder / DATA != run and not run.is_dir():
        raise click.UsageError(f"{run} is not the {DATA} of a run. Name its folder, or the {DATA} in it.")
    # Without the evidence, a report.html that shows it would be replaced by one without.
    found = read(run, needs_evidence=(folder / "report.html").exists())
    found.demand_unaltered(run)
    return found


def add(
    kind: Kind,
    run: RecordedRun,
    statement: _Statement,
    document: Path | None,
    specification: Path | None,
    complete: Callable[[_Statement], _Statement] = lambda each: each,
) -> tuple[Report, list[Path]]:
    """Add a statement, with a copy of its document, to a run, in place of a former one about the requirement.

    Return the new report and the files that were written. The views quote `specification`, the reader's copy.
    `complete` gets the statement once its document is known, and returns what is added.
    """
    from conformance.model.report import Document, report_of
    from conformance.reports import files

    wanted = statement.requirement
    if wanted not in (ids := kind.subjects(run.report)):
        raise click.UsageError(
            f"{wanted!r} is not {kind.about}. Requirements that can be {kind.done}: {', '.join(ids) or 'none'}."
        )
    if document is not None:
        content = _content(document)
        attached = Document(name=document.name, sha256=hashlib.sha256(content).hexdigest())
        statement = complete(replace(statement, document=attached))
        _attach(run.folder / FOLDER / document.name, content)
    else:
        statement = complete(statement)
    copy = of_reader.read(specification, run.report.suite.edition)
    others = [each for each in getattr(run.report, kind.member) if each.requirement != wanted]
    order = {row.id: number for number, row in enumerate(run.report.requirements)}
    ordered = sorted([*others, statement], key=lambda each: order.get(each.requirement, len(order)))
    data = chain.resealed({**run.data, kind.member: [asdict(each) for each in ordered]})
    with writing("RUN"):
        paths = files.rewrite(run.folder, data, run.evidence, copy)
    return report_of(data), paths


def _content(document: Path) -> bytes:
    if "\\" in document.name or not document.name.isprintable():
        raise click.UsageError("--document: the name of the file has a backslash or a control character. Rename it.")
    try:
        return document.read_bytes()
    except OSError as error:
        raise click.UsageError(f"--document: {document} cannot be read: {error.strerror or error}.") from None


def _attach(place: Path, content: bytes) -> None:
    """Copy a document into the folder of the run, unless it is there."""
    if place.is_file() and place.read_bytes() == content:
        return
    if place.exists():
        raise Failure(
            f"{place} exists, and is another document.", remedy="Give the document another name, or remove that file."
        )
    with writing("RUN"):
        place.parent.mkdir(exist_ok=True)
        with place.open("xb") as file:
            file.write(content)
