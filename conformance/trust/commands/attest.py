"""`drsi-conformance attest`: statements of people, in a recorded run, about requirements that no client can decide."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from conformance.cli.values import PATH
from conformance.reports import people
from conformance.trust.commands import statements

_KIND = statements.Kind(
    member="attestations",
    done="attested",
    about="a requirement of this run that no client can decide",
    subjects=people.attestable,
)


@click.command("attest", short_help="Add a statement about a requirement that no client can decide.")
@click.argument("run", type=PATH, metavar="RUN")
@click.option("--requirement", metavar="ID", help="The requirement that the statement is about.")
@statements.options
@click.option("--name", metavar="NAME", help="Who states it.")
def command(
    run: Path,
    requirement: str | None,
    statement: str | None,
    name: str | None,
    date: datetime | None,
    document: Path | None,
    specification: Path | None,
) -> None:
    """Add a statement to a recorded run, in place of a former one about the same requirement.

    RUN is the folder of the run, or its report.json.

    The reports show it as attested, never as passed: verdicts and numbers stay as they are. A reader of the report
    has to trust the person: the suite tests neither the statement nor the document.
    """
    from rich.console import Console

    from conformance.model.report import Attestation
    from conformance.reports import sections, terminal

    said = statements.texts(requirement=requirement, statement=statement, name=name)
    attestation = Attestation(**said, date=statements.dated(date), document=None)
    report, paths = statements.add(_KIND, statements.recorded(run), attestation, document, specification)
    terminal.print_section(Console(), sections.attested(report))
    for path in paths:
        click.echo(path)
