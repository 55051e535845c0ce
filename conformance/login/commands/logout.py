"""`drsi-conformance logout`: removes the tokens that `login` keeps, and lets the OAuth server revoke them."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.errors import Failure
from conformance.cli.route import Route
from conformance.login.commands import logins
from conformance.model.printable import printable
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from conformance.login.login import Login


@click.command("logout", short_help="Remove the tokens that login keeps for a service, and revoke them.")
@logins.of_a_service
@click.option(
    "--user",
    type=logins.WHOSE,
    help="Only the tokens of this user.  [default: all]",
)
def command(config: Path | None, base_url: str | None, user: str | None, **route: Any) -> int:  # noqa: ARG001
    """Remove the tokens for the service at BASE_URL from this machine, and revoke them where the server offers it.

    Exit code 3: they are removed here, and the OAuth server did not revoke them.
    """
    base_url = logins.demand_address(base_url)
    from conformance.login import store

    users = [each for each in store.stored(base_url) if user in (None, each)]
    if not users:
        raise Failure(
            f"There is no login for {base_url}.", remedy="Give the BASE_URL, and the --user, that you gave to login."
        )
    code = Exit.CONFORMS
    for each in users:
        with logins.explained():
            said = _revoked(base_url, each, Route(**route))
            store.remove(base_url, each)
        code = Exit.INCONCLUSIVE if said.startswith("Warning") else code
        click.echo(printable(f"Removed the {each} token for {base_url}. {said}"))
    return code


def _revoked(base_url: str, user: str, route: Route) -> str:
    """Let the OAuth server revoke the tokens of a login; say what came of it."""
    from conformance.login import store
    from conformance.model.errors import ConfigurationFault

    try:
        login = store.load(base_url, user)
        if login is None or not login.server.revocation:
            return "The OAuth server offers no revocation: the token is valid until it expires."
        return _revoke(login, route)
    except ConfigurationFault as fault:
        return f"Warning: it was not revoked, and may be valid until it expires. {fault}"
    except ModuleNotFoundError:
        return "Warning: it was not revoked, which needs Authlib: pip install 'drsi-conformance[login]'"


def _revoke(login: Login, route: Route) -> str:
    """Let the OAuth server revoke the tokens; say what it revoked. Raises ConfigurationFault."""
    from conformance.login.calls import LIMITS, Calls, Refused, Secrets
    from conformance.login.grants import Client
    from conformance.login.renewal import SECRET_VARIABLE

    secret = os.environ.get(SECRET_VARIABLE) if login.has_secret else None
    with closing(route.to_others(LIMITS, login.base_url)) as transport:
        client = Client(Calls(transport, Secrets()), login.server, login.client_id, secret)
        if login.refresh_token:
            client.revoke(login.refresh_token, "refresh_token")
        try:
            client.revoke(login.access_token, "access_token")
        except Refused as reason:
            if reason.code != "unsupported_token_type":  # RFC 7009, 2.2.1
                raise
            revoked = " has revoked the refresh token, and" if login.refresh_token else ""
            return f"The OAuth server{revoked} cannot revoke the access token: it is valid until it expires."
    return "The OAuth server has revoked it."
