"""`drsi-conformance logout`: removes the tokens that `login` keeps."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.errors import Failure
from conformance.cli.option import with_options
from conformance.cli.target_options import TargetOptions
from conformance.login.commands import logins
from conformance.model.printable import printable


@click.command("logout", short_help="Remove the tokens that login keeps for a service.")
@with_options(TargetOptions, "config", "base_url")
@click.option(
    "--user",
    type=logins.WHOSE,
    help="Only the tokens of this user.  [default: all]",
)
def command(config: Path | None, base_url: str | None, user: str | None) -> None:  # noqa: ARG001
    """Remove the tokens for the service at BASE_URL from this machine. They stay valid until they expire."""
    base_url = logins.demand_address(base_url)
    from conformance.login import store

    users = [each for each in store.stored(base_url) if user in (None, each)]
    if not users:
        raise Failure(
            f"There is no login for {base_url}.", remedy="Give the BASE_URL, and the --user, that you gave to login."
        )
    for each in users:
        with logins.explained():
            store.remove(base_url, each)
        click.echo(printable(f"Removed the {each} token for {base_url}."))
