"""`drsi-conformance site`: what a store says of its services, as static pages."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from conformance.cli.errors import Failure, writing
from conformance.cli.values import PATH
from conformance.model.text import count


@click.command("site", short_help="Build static pages of a store.")
@click.argument("store", metavar="STORE")
@click.argument("output", type=PATH, metavar="OUTPUT")
@click.option("--reports", is_flag=True, help="Add the report of the latest run of each service, with its evidence.")
def command(store: str, output: Path, reports: bool) -> None:
    """Build the pages of a store in the folder OUTPUT: all services, each service, each requirement, each
    audit, and a matrix.

    The pages need neither a server nor scripts, and load nothing from other places. A script of the site itself lets
    the table of services be filtered and sorted. A site in OUTPUT is replaced when
    the new one is complete.
    """
    from conformance.evidence.archive import EvidenceFault
    from conformance.site import build
    from conformance.store import Store

    now = datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
    with writing("OUTPUT"):
        try:
            with Store.open(store) as opened:
                built = build(opened, output, f"{now}Z", reports=reports)
        except EvidenceFault as fault:
            raise Failure(str(fault), remedy=fault.remedy) from None
    click.echo(
        f"{count(built.services, 'service')}, {built.failing:,} failing, {count(built.regressions, 'regression')}"
    )
    click.echo(output / "index.html")
