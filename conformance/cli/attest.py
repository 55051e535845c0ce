"""`drsi-conformance attest`: statements of people, in a recorded run, about requirements that no client can decide."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.errors import Failure, writing
from conformance.cli.recorded import RecordedRun, read
from conformance.cli.values import PATH
from conformance.evidence import chain
from conformance.reports import attestations

if TYPE_CHECKING:
    from conformance.model.report import Attestation

FOLDER = "attachments"
"""The folder of the attached documents, beside report.json."""


@click.command("attest", short_help="Add a statement about a requirement that no client can decide.")
@click.argument("run", type=PATH, metavar="RUN")
@click.option("--requirement", metavar="ID", help="The requirement that the statement is about.")
@click.option("--statement", metavar="TEXT", help="What the person states.")
@click.option("--name", metavar="NAME", help="Who states it.")
@click.option(
    "--date",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="When it was stated.  [default: today, in UTC]",
)
@click.option("--document", type=PATH, metavar="FILE", help="File to attach: it is copied, and its SHA-256 recorded.")
@click.option("--remove", metavar="ID", help="Remove the statement about this requirement, and its document.")
def command(
    run: Path,
    requirement: str | None,
    statement: str | None,
    name: str | None,
    date: datetime | None,
    document: Path | None,
    remove: str | None,
) -> None:
    """Add a statement to a recorded run. RUN is the folder of the run, or its report.json.

    The reports show it as attested, never as passed: verdicts and numbers stay as they are. A reader of the report
    has to trust the person: the suite tests neither the statement nor the document.
    """
    given = {"--requirement": requirement, "--statement": statement, "--name": name}
    texts = {option: (text or "").strip() for option, text in given.items()}
    if remove is not None:
        if document or date or any(texts.values()):
            raise click.UsageError("--remove takes no other option: add a new statement afterwards.")
        _remove(_recorded(run), remove)
        return
    if missing := [option for option, text in texts.items() if not text]:
        raise click.UsageError(f"Expected a text for {', '.join(missing)}.")
    from conformance.model.report import Attestation

    attestation = Attestation(
        requirement=texts["--requirement"],
        statement=texts["--statement"],
        name=texts["--name"],
        date=f"{date or datetime.now(UTC):%Y-%m-%d}",
        document=None,
    )
    _add(_recorded(run), attestation, document)


def _recorded(run: Path) -> RecordedRun:
    from conformance.reports.files import DATA

    folder = run if run.is_dir() else run.parent
    if folder / DATA != run and not run.is_dir():
        raise click.UsageError(f"{run} is not the {DATA} of a run. Name its folder, or the {DATA} in it.")
    # Without the evidence, a report.html that shows it would be replaced by one without.
    return read(run, needs_evidence=(folder / "report.html").exists())


def _add(recorded: RecordedRun, attestation: Attestation, document: Path | None) -> None:
    wanted = attestation.requirement
    if wanted not in (ids := attestations.attestable(recorded.report)):
        raise click.UsageError(
            f"{wanted!r} is not a requirement of this run that no client can decide. "
            f"Requirements that can be attested: {', '.join(ids)}."
        )
    if attestations.attestation_of(recorded.report, wanted):
        raise click.UsageError(f"{wanted} is attested already. Remove that statement first, with --remove {wanted}.")
    copy = None
    if document is not None:
        from conformance.model.report import Document

        content = _content(document)
        attached = Document(name=document.name, sha256=hashlib.sha256(content).hexdigest())
        attestation = replace(attestation, document=attached)
        copy = _attached(recorded.folder / FOLDER / document.name, content)
    try:
        _rewrite(recorded, [*recorded.report.attestations, attestation])
    except BaseException:
        if copy is not None:
            _discard(copy)
        raise


def _content(document: Path) -> bytes:
    if "\\" in document.name or not document.name.isprintable():
        raise click.UsageError("--document: the name of the file has a backslash or a control character. Rename it.")
    try:
        return document.read_bytes()
    except OSError as error:
        raise click.UsageError(f"--document: {document} cannot be read: {error.strerror or error}.") from None


def _attached(place: Path, content: bytes) -> Path | None:
    """Copy a document into the folder of the run; return the copy, or None if it was there already."""
    if place.is_file() and place.read_bytes() == content:
        return None
    if place.exists():
        raise Failure(
            f"{place} exists, and is another document.", remedy="Give the document another name, or remove that file."
        )
    with writing("RUN"):
        place.parent.mkdir(exist_ok=True)
        with place.open("xb") as file:
            file.write(content)
    return place


def _remove(recorded: RecordedRun, requirement: str) -> None:
    given = recorded.report.attestations
    left = [each for each in given if each.requirement != requirement]
    if len(left) == len(given):
        ids = ", ".join(each.requirement for each in given) or "none"
        raise click.UsageError(f"{requirement!r} is not attested. Attested requirements: {ids}.")
    _rewrite(recorded, left)
    documents = [each.document for each in left]
    for each in given:
        document = each.document
        if each not in left and document and document not in documents:
            place = recorded.folder / FOLDER / document.name
            if place.is_file() and hashlib.sha256(place.read_bytes()).hexdigest() == document.sha256:
                _discard(place)


def _discard(copy: Path) -> None:
    try:
        copy.unlink(missing_ok=True)
        copy.parent.rmdir()
    except OSError:
        return  # other documents are in the folder


def _rewrite(recorded: RecordedRun, given: Iterable[Attestation]) -> None:
    from rich.console import Console

    from conformance.model.report import Report
    from conformance.reports import files, terminal

    ordered = [asdict(each) for each in attestations.ordered(recorded.report, given)]
    data = chain.resealed({**recorded.data, "attestations": ordered})
    with writing("RUN"):
        paths = files.rewrite(recorded.folder, data, recorded.evidence)
    terminal.print_attestations(Console(), Report.from_data(data))
    for path in paths:
        click.echo(path)
