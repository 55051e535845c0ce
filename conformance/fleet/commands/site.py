"""`drsi-conformance site`: what a store says of its services, as static pages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli import specification as of_reader
from conformance.cli.errors import writing
from conformance.cli.values import PATH, language_codes
from conformance.fleet import moments
from conformance.model.printable import printable
from conformance.model.requirements import catalogue
from conformance.model.text import count

if TYPE_CHECKING:
    from conformance.model.specification import Specification


@click.command("site", short_help="Build static pages of a store, or its public register.")
@click.argument("store", metavar="STORE")
@click.argument("output", type=PATH, metavar="OUTPUT")
@click.option("--reports", is_flag=True, help="Add the report of the latest run of each service, with its evidence.")
@click.option(
    "--language",
    multiple=True,
    callback=language_codes,
    metavar="CODE",
    help="Languages of the pages, comma-separated: de, en, fr, nl. Those of the first are in OUTPUT, those of another "
    "in a folder of its code, such as OUTPUT/de; each page links its translations.  [default: en]",
)
@of_reader.option
@click.option(
    "--register",
    is_flag=True,
    help="Build the public register instead: only services that 'store publish' names, each with its status.",
)
@click.option(
    "--sign",
    type=PATH,
    metavar="KEY",
    help="Private key (PEM, Ed25519 or ECDSA) that signs the status documents of the register. DRSI_KEY_PASSPHRASE may "
    "hold its pass phrase.",
)
@click.option(
    "--valid-for",
    metavar="DURATION",
    help="How long a status is valid, from the end of its run, in hours, days or weeks.  [default: 90d]",
)
@click.option(
    "--next-update",
    metavar="DURATION",
    help="How long a copy of a status document stands for the register, from now: build it again before.  "
    "[default: 7d]",
)
@click.option("--operator", metavar="NAME", help="Who keeps the register and made the audits of the store.")
def command(
    store: str,
    output: Path,
    *,
    reports: bool,
    language: tuple[str, ...],
    specification: Path | None,
    register: bool,
    **given: Any,
) -> None:
    """Build the pages of a store in the folder OUTPUT: all services, each service, each requirement, each
    audit, and a matrix.

    The pages need neither a server nor scripts, and load nothing from other places. A script of the site itself lets
    the table of services be filtered and sorted. A site in OUTPUT is replaced when
    the new one is complete.
    """
    from conformance.fleet.site import build
    from conformance.fleet.store.store import Store

    built = moments.now()
    if not register and (names := [name for name, value in given.items() if value]):
        raise click.UsageError(f"--{names[0].replace('_', '-')} is for --register. Add it, or leave out the option.")
    if register and reports:
        raise click.UsageError("--reports is for the site of a store: a register names a run by its digest.")
    copy = of_reader.read(specification, catalogue().edition.digest)
    with writing("OUTPUT"), Store.open(store) as opened:
        if register:
            said = _registered(opened, output, built, given, language, copy)
        else:
            found = build(opened, output, built, reports=reports, languages=language, copy=copy)
            said = f"{count(found.services, 'service')}, {found.failing:,} failing, "
            said += count(found.regressions, "regression")
            said += f", {found.unreported:,} without a report in the latest audit" if found.unreported else ""
    click.echo(printable(said))
    click.echo(output / "index.html")


def _registered(
    store: Any,
    output: Path,
    built: str,
    given: Mapping[str, Any],
    languages: tuple[str, ...],
    copy: Specification | None,
) -> str:
    """Build the register, and return what to say about it."""
    from conformance.cli.passwords import passphrase
    from conformance.fleet.register.entries import Terms
    from conformance.fleet.register.status import duration
    from conformance.fleet.site.register import build_register
    from conformance.trust import signature

    lengths: dict[str, timedelta] = {}
    for name in ("valid_for", "next_update"):
        try:
            lengths |= {name: duration(given[name])} if given[name] else {}
        except ValueError as error:
            raise click.UsageError(f"--{name.replace('_', '-')}: {error}.") from None
    if given["sign"] is None:
        raise click.UsageError("--register signs what it says. Name the key with --sign.")
    operator = (given["operator"] or "").strip()
    terms = Terms(**lengths, operator=operator)
    found = build_register(
        store,
        output,
        built,
        terms=terms,
        signer=signature.signer(given["sign"], passphrase),
        languages=languages,
        copy=copy,
    )
    said = f"{count(found.services, 'service')}, {count(found.documents, 'status document')}, signed with {found.key}; "
    said += f"number {found.number}; build it again before {found.next_update}, also if nothing changes"
    return said
