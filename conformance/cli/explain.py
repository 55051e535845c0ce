"""`drsi-conformance explain`: everything about one requirement, or about every one of a clause."""

from __future__ import annotations

import click


@click.command(short_help="Explain one requirement, or every one of a clause.")
@click.argument("wanted", metavar="ID")
def command(wanted: str) -> None:
    """Explain the requirement ID, or every requirement of a clause such as 4.3."""
    from conformance.cli.explanation import explain

    click.echo("\n\n".join(explain(wanted)))
