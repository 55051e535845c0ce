"""`drsi-conformance requirements`: the catalogue."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from dataclasses import asdict

import click

from conformance.cli.values import requirement_set
from conformance.model.history import history_of
from conformance.model.requirements import UnknownRequirement, catalogue
from conformance.model.sets import scored


@click.command("requirements", short_help="List the requirements with their levels and bases.")
@click.option("--clause", metavar="CLAUSE", help="Only the requirements of this clause and the clauses below it.")
@click.option(
    "--set",
    "of_set",
    callback=requirement_set,
    metavar="NAME",
    help="Mark what this set does not score.  [default: the newest]",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON, with places, reasons, interpretations, remedies, and what each requirement said before.",
)
def command(clause: str | None, of_set: str, as_json: bool) -> None:
    """List every requirement with its level, its basis and its statement in the words of the suite.

    The basis is stated (a place of the specification says it), inferred (it follows from places, by a reason), or
    advice (no place says it). What the set does not score is marked as unscored.
    """
    every = catalogue()
    try:
        chosen = every.select(clause) if clause else every.rows.keys()
    except UnknownRequirement as error:
        raise click.UsageError(str(error)) from None
    rows = [row for row in every.rows.values() if row.id in chosen]
    counted = scored(of_set)
    if as_json:
        listed = [
            {"clause": row.clause, **asdict(row), **asdict(history_of(row.id)), "scored": row.id in counted}
            for row in rows
        ]
        click.echo(json.dumps(listed, indent=2, ensure_ascii=False))
        return
    id_width = max(len(row.id) for row in rows)
    # In a file or a pipe, one line for each requirement is easier to search.
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    for row in rows:
        head = f"{row.id:<{id_width}}  {row.level:<6}  {row.basis:<8}  "
        head += "" if row.id in counted else "(unscored) "
        if width < len(head) + 24:
            click.echo(head + row.statement)
        else:
            click.echo(textwrap.fill(row.statement, width, initial_indent=head, subsequent_indent=" " * len(head)))
