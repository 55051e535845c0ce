"""`drsi-conformance explain`: everything about one requirement, or about each requirement of a clause."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli import specification as of_reader
from conformance.cli.values import site_address
from conformance.model.printable import printable
from conformance.model.requirements import UnknownRequirement, catalogue


@click.command("explain", short_help="Explain one requirement, or each requirement of a clause.")
@click.argument("wanted", metavar="ID")
@of_reader.option
@click.option(
    "--help-base", callback=site_address, metavar="URL", help="Address of the documentation site: name the page."
)
def command(wanted: str, specification: Path | None, help_base: str | None) -> None:
    """Explain the requirement ID, or each requirement of a clause such as 4.3.

    Shows the statement in the suite's words, on which places of the specification it rests and why, how the suite
    reads them, what decides it, its history, the fix, the checks with their smallest traces, the faults that violate
    it, and two recorded exchanges: of a conforming service and of a faulty one.
    """
    from rich.console import Console
    from rich.markdown import Markdown

    from conformance.cli.requirement_page import markdown

    every = catalogue()
    copy = of_reader.read(specification, every.edition.digest)
    restated = frozenset(every.restated.get(wanted, ()))
    try:
        ids = every.select(wanted) | restated
    except UnknownRequirement as error:
        if not restated:
            raise click.UsageError(str(error)) from None
        ids = restated
    rows = [row for row in every.rows.values() if row.id in ids]
    texts = [markdown(row, copy, help_base or "") for row in rows]
    if restated:
        texts.insert(0, f"Clause {wanted} restates these requirements: {', '.join(every.restated[wanted])}.")
    Console().print(Markdown(printable("\n\n".join(texts), keep="\n")))
