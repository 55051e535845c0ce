"""`drsi-conformance requirements`: the catalogue."""

from __future__ import annotations

import click


@click.command(short_help="List what is demanded, with its level.")
@click.option("--clause", metavar="CLAUSE", help="Only those of this clause and the clauses below it.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, with readings, remedies and reasons.")
def command(clause: str | None, as_json: bool) -> None:
    """List every requirement with its level and what it demands."""
    from conformance.cli.failure import Failure
    from conformance.model.requirements import UnknownRequirement, catalogue

    every = catalogue()
    try:
        chosen = every.select(clause) if clause else every.rows.keys()
    except UnknownRequirement as error:
        raise Failure(str(error)) from None
    rows = [row for row in every.rows.values() if row.id in chosen]
    if as_json:
        import json
        from dataclasses import asdict

        click.echo(json.dumps([{"clause": row.clause, **asdict(row)} for row in rows], indent=2, ensure_ascii=False))
        return
    id_width = max(len(row.id) for row in rows)
    width = _width()
    for row in rows:
        click.echo(_line(f"{row.id:<{id_width}}  {row.level:<6}  ", row.statement, width))


def _width() -> int | None:
    """Return the columns of the terminal; None elsewhere, where one line for each requirement is easier to search."""
    import shutil
    import sys

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _line(head: str, text: str, width: int | None) -> str:
    import textwrap

    if width is None or width < len(head) + 24:
        return head + text
    return textwrap.fill(text, width, initial_indent=head, subsequent_indent=" " * len(head))
