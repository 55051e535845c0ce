"""`drsi-conformance store`: the runs of many services over time, in a database with their evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import wraps
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.errors import Failure, writing
from conformance.cli.values import PATH, refuse_two
from conformance.model.printable import printable
from conformance.model.text import count
from conformance.model.verdict import Exit
from conformance.trust.commands.statements import DATE, dated

if TYPE_CHECKING:
    from conformance.fleet.store.store import Store

_STORE = click.argument("store", metavar="STORE")
_EVIDENCE = click.option(
    "--evidence",
    metavar="PLACE",
    help="Where a new store keeps the bundles: a folder, or an address such as s3://bucket/folder. "
    "[default: STORE.evidence, beside the file of SQLite]",
)
_TARGET = click.argument("target", metavar="SERVICE")


def _on_store(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the argument STORE, and the open store in place of its name."""

    @_STORE
    @wraps(command)
    def opened(store: str, **given: Any) -> Any:
        from conformance.fleet.store.store import Store

        with Store.open(store) as found:
            return command(found, **given)

    return opened


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
    from conformance.fleet.store import recorded
    from conformance.fleet.store.store import Store

    with Store.open(store, evidence, create=True) as opened:
        for run in runs:
            number = opened.add_run(run, target=target, confirm=recorded.confirm)
            click.echo(printable(f"{run}: run {number}"))


@command.command("export", short_help="Write a store with its evidence to a folder.")
@_on_store
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
    from conformance.fleet.store import recorded, transfer
    from conformance.fleet.store.store import Store

    with Store.open(store, evidence, create=True) as opened:
        found = transfer.take_over(opened, folder, recorded.confirm)
    known = f", {count(found.known, 'run')} known before" if found.known else ""
    click.echo(printable(f"{store}: {count(found.runs, 'run')} of {folder}{known}"))
    for digest, why in found.refused.items():
        click.echo(printable(f"refused: {digest}: {why}"), err=True)
    if found.proposed:
        click.echo(printable(f"{count(found.proposed, 'proposal')}: 'store accept {store}' lists them."))
    return Exit.DOES_NOT_CONFORM if found.refused else Exit.CONFORMS


@command.command("accept", short_help="Accept what an import proposes.")
@_on_store
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
@_on_store
@click.argument("number", type=click.IntRange(min=1), metavar="N")
def keep(store: Store, number: int) -> None:
    """Remove all but the latest N runs of each service, with their evidence.

    A regression needs two runs to be seen.
    """
    removed = store.keep(number)
    click.echo(f"{count(removed, 'run')} removed.")


@command.command("choices", short_help="Count what services chose in each open matter.")
@_on_store
@click.option("--json", "as_json", is_flag=True, help="Print JSON, which names the services.")
def choices(store: Store, *, as_json: bool) -> None:
    """Count how many services of a store chose what in each open matter, by the latest run of each.

    A service may show several choices in a matter. 'profile' shows the choices of one run.
    """
    from conformance.model.printable import as_json as written
    from conformance.reports.pages import shown

    rows = list(_distribution(store))
    if as_json:
        click.echo(written(rows, indent=2))
    else:
        for each in rows:
            breaks = f"; breaks {', '.join(each['breaks'])}" if each["breaks"] else ""
            choice = shown(f"{each['matter']}: {each['choice']}")
            click.echo(f"{choice}: {len(each['services'])} of {each['of']}{breaks}")


def _distribution(store: Store) -> Iterator[dict[str, Any]]:
    """Yield the choices in each open matter, in the order of the catalogue, those of most services first.

    Each has the names of its services, the number `of` services that showed any choice in the matter, and the known
    clients that it breaks.
    """
    from conformance.reports.profile import broken, choice_in

    for matter, observed in groupby(store.observed(), key=lambda each: each.requirement):
        services: defaultdict[str, set[str]] = defaultdict(set)
        for each in observed:
            if words := choice_in(each.message)[0]:
                services[words].add(each.target)
        of = len(set().union(*services.values()))
        for words, names in sorted(services.items(), key=lambda each: (-len(each[1]), each[0])):
            breaks = [each.client for each in broken(matter, words)]
            yield {"matter": matter, "choice": words, "services": sorted(names), "of": of, "breaks": breaks}


@command.command("publish", short_help="Record that a service may be in a public register.")
@_on_store
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


@command.command("unpublish", short_help="Record that a service may not be published any more.")
@_on_store
@_TARGET
def unpublish(store: Store, target: str) -> None:
    """Record that the consent was taken back, or that the authority ended.

    The next 'site --register' has nothing of SERVICE. What others copied before stays with them.
    """
    from conformance.fleet.store.publication import unpublish as record

    record(store, target)
    click.echo(printable(f"{target} may not be published. Build the register again to remove it."))


@command.command("withdraw", short_help="Withdraw the status of the latest run, with a reason.")
@_on_store
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


@command.command("party", short_help="Record the key of an independent party.")
@_on_store
@click.option("--name", required=True, metavar="NAME", help="Who the party is.")
@click.option("--key", required=True, type=PATH, metavar="PUBLIC", help="Its public key, or certificate (PEM).")
def party(store: Store, *, name: str, key: Path) -> None:
    """Record that a key is that of a party who is independent of the services, such as an auditor.

    A run whose bundle the party signed is then one of a third party, and a run about which the party signed the
    statement of a witness is witnessed. Who is independent is the judgement of who keeps the store.
    """
    from conformance.fleet.store.publication import add_party
    from conformance.trust.signature import public_key

    if not name.strip():
        raise click.UsageError("Expected a name for --name.")
    fingerprint, pem = public_key(key)
    add_party(store, name=name.strip(), key=fingerprint, public_key=pem)
    click.echo(printable(f"{name.strip()}: {fingerprint}"))


@command.command("witness", short_help="Add the statement of a witness.")
@_on_store
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
