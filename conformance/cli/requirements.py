"""`drsi-conformance requirements`: the catalogue."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from dataclasses import asdict

import click

from conformance.model.requirements import UnknownRequirement, catalogue


@click.command("requirements", short_help="List the requirements with their levels and bases.")
@click.option("--clause", metavar="CLAUSE", help="Only the requirements of this clause and the clauses below it.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON, with places, reasons, interpretations, remedies, and what each requirement said before.",
)
def command(clause: str | None, as_json: bool) -> None:
    """List every requirement with its level, its basis and its statement in the words of the suite.

    The basis is stated (a place of the specification says it), inferred (it follows from places, by a reason), or
    advice (no place says it).
    """
    every = catalogue()
    try:
        chosen = every.select(clause) if clause else every.rows.keys()
    except UnknownRequirement as error:
        raise click.UsageError(str(error)) from None
    rows = [row for row in every.rows.values() if row.id in chosen]
    if as_json:
        click.echo(json.dumps([{"clause": row.clause, **asdict(row)} for row in rows], indent=2, ensure_ascii=False))
        return
    id_width = max(len(row.id) for row in rows)
    # In a file or a pipe, one line for each requirement is easier to search.
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    for row in rows:
        head = f"{row.id:<{id_width}}  {row.level:<6}  {row.basis:<8}  "
        if width < len(head) + 24:
            click.echo(head + row.statement)
        else:
            click.echo(textwrap.fill(row.statement, width, initial_indent=head, subsequent_indent=" " * len(head)))
