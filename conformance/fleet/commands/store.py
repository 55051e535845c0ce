"""`drsi-conformance store`: the runs of many services over time, in a database with their evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.errors import Failure, writing
from conformance.cli.values import PATH
from conformance.fleet.commands import choices, publication
from conformance.fleet.commands.on_store import on_store
from conformance.model.printable import printable
from conformance.model.text import count
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from conformance.fleet.store.store import Store

_STORE = click.argument("store", metavar="STORE")
_EVIDENCE = click.option(
    "--evidence",
    metavar="PLACE",
    help="Where a new store keeps the bundles: a folder, or an address such as s3://bucket/folder. "
    "[default: STORE.evidence, beside the file of SQLite]",
)


@click.group("store", short_help="Keep the runs of many services over time.")
def command() -> None:
    """Keep recorded runs of many services in a database, with their evidence as bundles.

    STORE is a file of SQLite, or a PostgreSQL database such as postgresql://user@host/name. The page
    'A store of many runs' of the documentation describes the tables and views.
    """


@command.command("add", short_help="Add recorded runs.")
@_STORE
@click.argument("runs", type=PATH, metavar="RUN...", nargs=-1, required=True)
@click.option("--target", metavar="NAME", help="Name of the service in the store.  [default: its address]")
@_EVIDENCE
def add(store: str, runs: tuple[Path, ...], target: str | None, evidence: str | None) -> None:
    """Add recorded runs to a store, which is made if there is none. RUN is the folder of a run, or its bundle.

    A run is added if its verdicts follow from its evidence, as 'verify' finds. One that the store has is not added
    again. If a statement was added to it since, it replaces the one in the store.
    """
    from conformance.fleet.commands.confirmed import confirm
    from conformance.fleet.store.store import Store

    with Store.open(store, evidence, create=True) as opened:
        for run in runs:
            number = opened.add_run(run, target=target, confirm=confirm)
            click.echo(printable(f"{run}: run {number}"))


@command.command("export", short_help="Write a store with its evidence to a folder.")
@on_store
@click.argument("folder", type=PATH, metavar="FOLDER")
def export(store: Store, folder: Path) -> None:
    """Write a store with its evidence to a new folder: the bundles, and what else the store says.

    An existing folder is never overwritten.
    """
    from conformance.fleet.store import transfer

    if folder.exists():
        raise Failure(f"{folder} exists, and is not overwritten.", remedy="Name another folder, or remove it.")
    with writing("FOLDER"):
        number = transfer.export(store, folder)
    click.echo(printable(f"{folder}: {count(number, 'run')}"))


@command.command("import", short_help="Propose what another store exported.")
@_STORE
@click.argument("folder", type=PATH, metavar="FOLDER")
@_EVIDENCE
def take_over(store: str, folder: Path, evidence: str | None) -> int:
    """Propose what an exported folder has to the keeper of a store, which is made if there is none.

    Each run is computed again from its bundle. One whose bundle is absent or says something else is refused, and the
    exit code is 1. All else is proposed: 'store accept' lists it. What the store has stays.
    """
    from conformance.fleet.commands.confirmed import confirm
    from conformance.fleet.store import transfer
    from conformance.fleet.store.store import Store

    with Store.open(store, evidence, create=True) as opened:
        found = transfer.take_over(opened, folder, confirm)
    known = f", {count(found.known, 'run')} known before" if found.known else ""
    click.echo(printable(f"{store}: {count(found.runs, 'run')} of {folder}{known}"))
    for digest, why in found.refused.items():
        click.echo(printable(f"refused: {digest}: {why}"), err=True)
    if found.proposed:
        click.echo(printable(f"{count(found.proposed, 'proposal')}: 'store accept {store}' lists them."))
    return Exit.DOES_NOT_CONFORM if found.refused else Exit.CONFORMS


@command.command("accept", short_help="Accept what an import proposes.")
@on_store
@click.argument("proposal", metavar="[ID]", required=False)
def accept(store: Store, proposal: str | None) -> None:
    """Accept the proposal ID of an import, or list the proposals.

    A file that somebody sent cannot say who is independent, what may be published, or that an audit was yours. Accept
    what you know from elsewhere, audits before their runs.
    """
    from conformance.fleet.store import proposals

    if proposal is not None:
        click.echo(printable(f"Accepted: {proposals.accept(store, proposal)}."))
        return
    for each in store.proposals():
        if not each.accepted:
            said = proposals.in_words(each.kind, each.content)
            click.echo(printable(f"{each.id}  {each.kind}: {said} (from {each.source})"))


@command.command("keep", short_help="Remove all but the latest runs of each service.")
@on_store
@click.argument("number", type=click.IntRange(min=1), metavar="N")
def keep(store: Store, number: int) -> None:
    """Remove all but the latest N runs of each service, with their evidence.

    A regression needs two runs to be seen.
    """
    removed = store.keep(number)
    click.echo(f"{count(removed, 'run')} removed.")


for each in (choices.command, *publication.COMMANDS):
    command.add_command(each)
