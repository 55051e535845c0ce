"""The commands of `drsi-conformance store` for a public register: what may be published, and what no longer holds."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from conformance.cli.errors import Failure
from conformance.cli.values import PATH, refuse_two
from conformance.fleet.commands.on_store import on_store
from conformance.model.printable import printable
from conformance.trust.commands.statements import DATE, dated

if TYPE_CHECKING:
    from conformance.fleet.store.store import Store

_TARGET = click.argument("target", metavar="SERVICE")


@click.command("publish", short_help="Record that a service may be in a public register.")
@on_store
@_TARGET
@click.option("--consent", metavar="TEXT", help="Who consented for the organisation, and where that is on record.")
@click.option("--authority", metavar="TEXT", help="By which law or contract it is published without consent.")
@DATE
def publish(store: Store, target: str, *, consent: str | None, authority: str | None, date: datetime | None) -> None:
    """Record the consent or the authority to publish SERVICE: its latest run and all later ones.

    The authority in the file of an audit is the right to test a service, and permits no publication. A register shows
    whether it publishes by consent or by authority; TEXT stays in the store.
    """
    from conformance.fleet.store.publication import publish as record

    refuse_two({"--consent": consent, "--authority": authority})
    text = (consent or authority or "").strip()
    if not text:
        raise click.UsageError("Expected the text of --consent or --authority, received none.")
    basis = "consent" if consent else "authority"
    record(store, target, basis=basis, statement=text, stated=dated(date))
    click.echo(printable(f"{target} may be published by {basis}. 'site --register' does it."))


@click.command("unpublish", short_help="Record that a service may not be published any more.")
@on_store
@_TARGET
def unpublish(store: Store, target: str) -> None:
    """Record that the consent was taken back, or that the authority ended.

    The next 'site --register' has nothing of SERVICE. What others copied before stays with them.
    """
    from conformance.fleet.store.publication import unpublish as record

    record(store, target)
    click.echo(printable(f"{target} may not be published. Build the register again to remove it."))


@click.command("withdraw", short_help="Withdraw the status of the latest run, with a reason.")
@on_store
@_TARGET
@click.option("--reason", required=True, metavar="TEXT", help="Why it does not hold any more; the register shows it.")
@DATE
def withdraw(store: Store, target: str, *, reason: str, date: datetime | None) -> None:
    """Withdraw the status of the latest run of SERVICE: the register shows it as withdrawn, with reason and date.

    A withdrawal cannot be taken back. A later run gets a status of its own.
    """
    from conformance.fleet.store.publication import withdraw as record

    if not reason.strip():
        raise click.UsageError("Expected a text for --reason.")
    found = record(store, target, reason=reason.strip(), stated=dated(date))
    click.echo(printable(f"{target}: the status of the bundle {found} is withdrawn."))


@click.command("party", short_help="Record the key of an independent party.")
@on_store
@click.option("--name", metavar="NAME", help="Who the party is.")
@click.option("--key", type=PATH, metavar="PUBLIC", help="Public key, or certificate (PEM), of the party.")
@click.option("--remove", metavar="FINGERPRINT", help="Forget the party with this key.")
def party(store: Store, *, name: str | None, key: Path | None, remove: str | None) -> None:
    """Record that a key is that of a party who is independent of the services, such as an auditor.

    A run whose bundle the party signed is then one of a third party, and a run about which the party signed the
    statement of a witness is witnessed. Who is independent is the judgement of who keeps the store.
    """
    from conformance.fleet.store.publication import add_party, remove_party
    from conformance.trust.signature import public_key

    if remove is not None and (name or key):
        raise click.UsageError("--remove takes no other option.")
    if remove is None and not ((name or "").strip() and key):
        raise click.UsageError("Expected --name and --key of the party, or --remove.")
    if remove is not None:
        remove_party(store, remove)
        click.echo(printable(f"{remove} is no party any more."))
    if name and key:
        fingerprint, pem = public_key(key)
        add_party(store, name=name.strip(), key=fingerprint, public_key=pem)
        click.echo(printable(f"{name.strip()}: {fingerprint}"))


@click.command("witness", short_help="Add the statement of a witness.")
@on_store
@click.argument("file", type=PATH, metavar="FILE")
def witness(store: Store, file: Path) -> None:
    """Add the statement that 'witness BUNDLE URL --attest KEY' wrote. It counts if a recorded party signed it."""
    from conformance.fleet.store.publication import add_witness

    try:
        envelope = file.read_bytes()
    except OSError as error:
        raise Failure(f"{file} cannot be read: {error.strerror or error}.", remedy="Name the statement.") from None
    bundle = add_witness(store, envelope)
    click.echo(printable(f"{file}: about the bundle {bundle}"))


COMMANDS: Final = (publish, unpublish, withdraw, party, witness)
