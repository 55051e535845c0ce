"""Gets a token by the grant that was chosen: asks for the secret, shows the code, opens the browser."""

from __future__ import annotations

import os
import shlex
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from conformance.cli.errors import Failure
from conformance.cli.option import option
from conformance.cli.values import Number
from conformance.login.commands.logins import WHOSE
from conformance.model.printable import one_line, printable

if TYPE_CHECKING:
    from conformance.login.callback import Callback
    from conformance.login.calls import Calls
    from conformance.login.grants import Client
    from conformance.login.login import Login
    from conformance.login.server import Server
    from conformance.model.target import Proxy

_ENDPOINTS: Final = ("authorization", "token", "device")


def _endpoint(name: str) -> Any:
    return option(
        f"--{name}-endpoint",
        metavar="URL",
        help=f"The {name} endpoint.  [default: what the OAuth server publishes]",
    )


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The options of the command login."""

    config: Path | None
    base_url: str
    ca_file: Path | None
    client_cert: Path | None
    client_key: Path | None
    proxy: Proxy | None
    header: tuple[tuple[str, str], ...]
    user: str = option(
        "--user",
        type=WHOSE,
        default="first",
        show_default=True,
        help="Whose token it is: a user's; one to keep until it has expired; or one for another service.",
    )
    grant: str = option(
        "--grant",
        type=click.Choice(["code", "device", "client-credentials"]),
        default="code",
        show_default=True,
        help="code: a browser on this machine; device: a browser elsewhere; client-credentials: no user at all.",
    )
    print_url: bool = option(
        "--print-url", is_flag=True, help="Print the address for the browser; its answer may be pasted."
    )
    client_id: str | None = option(
        "--client-id", metavar="ID", help="The client.  [default: oAuthClientId of GET /settings]"
    )
    scope: str = option("--scope", default="", metavar="TEXT", help="The scopes to ask for, separated by spaces.")
    resource: str | None = option(
        "--resource", metavar="URL", help="The service that the token is meant for (RFC 8707)."
    )
    audience: str | None = option(
        "--audience", metavar="TEXT", help="The same, where the OAuth server calls it audience."
    )
    oauth_url: str | None = option(
        "--oauth-url", metavar="URL", help="The OAuth server.  [default: oAuthUrl of GET /settings]"
    )
    authorization_endpoint: str | None = _endpoint("authorization")
    token_endpoint: str | None = _endpoint("token")
    device_endpoint: str | None = _endpoint("device")
    redirect_uri: str = option(
        "--redirect-uri",
        default="http://127.0.0.1:0/callback",
        show_default=True,
        metavar="URL",
        help="Where the browser brings the answer, on this machine; port 0 is any free one.",
    )
    where: str = option(
        "--store",
        "where",
        type=click.Choice(["auto", "keyring", "file"]),
        default="auto",
        show_default=True,
        help="Where the tokens are kept: in the key ring of the system if there is one, or in a file for you alone.",
    )
    wait: float = option(
        "--wait",
        type=Number(1, 3_600),
        default=300,
        show_default=True,
        metavar="SECONDS",
        help="How long to wait for the user.",
    )
    timeout: float | None = option(
        "--timeout", type=Number(0.05, 86_400), metavar="SECONDS", help="Maximum time of GET /settings."
    )
    debug: bool = option("--debug", is_flag=True, help="Show the traceback when the suite itself fails.")


OWN: Final = tuple(each.name for each in fields(Asked) if each.metadata)
"""The options that are not those of the service."""


def granted(given: Asked, calls: Calls, oauth_url: str, client_id: str) -> Login:
    """Return the login that an OAuth server granted. `oauth_url` is empty where options name each endpoint.

    Raises Failure where the secret cannot be asked for, and the errors of `conformance.login`.
    """
    from conformance.login.grants import Client
    from conformance.login.login import Login
    from conformance.login.server import discovered, explicit

    server = explicit({name: getattr(given, f"{name}_endpoint") for name in _ENDPOINTS})
    if oauth_url:
        server = discovered(calls, oauth_url, server)
    named = bool(given.oauth_url or given.token_endpoint)
    secret = _client_secret(server, named=named, is_needed=given.grant == "client-credentials")
    meant_for = {name: value for name in ("resource", "audience") if (value := getattr(given, name))}
    client = Client(calls, server, client_id, secret, scope=given.scope, meant_for=meant_for)
    found = _token(given, client, server)
    kept = given.user in ("first", "other")
    return Login(
        base_url=given.base_url,
        user=given.user,
        server=server,
        client_id=client_id,
        grant=given.grant,
        scope=given.scope,
        meant_for=meant_for,
        has_secret=secret is not None,
        access_token="",
    ).with_token(found if kept else {**found, "refresh_token": None})


def _client_secret(server: Server, *, named: bool, is_needed: bool) -> str | None:
    """Return the client's secret, or None; `named` says that the user, not the service, names the OAuth server."""
    from conformance.login.renewal import SECRET_VARIABLE

    given = os.environ.get(SECRET_VARIABLE)
    if given and not named:
        raise Failure(
            f"{SECRET_VARIABLE} would go to an OAuth server that only the service names.",
            remedy=f"If the secret belongs there, add --oauth-url {shlex.quote(one_line(server.issuer, 200))}",
            state="The secret was not sent.",
        )
    if is_needed and not given:
        raise Failure("The client needs its secret.", remedy=f"Set {SECRET_VARIABLE} to it.")
    return given or None


def _token(given: Asked, client: Client, server: Server) -> dict[str, Any]:
    if given.grant == "client-credentials":
        return client.by_client_credentials()
    if given.grant == "device":
        return client.by_device(_show_code, given.wait)
    from conformance.login.callback import Callback

    server.endpoint("authorization"), server.endpoint("token")  # before a browser opens
    with ExitStack() as stack:
        callback = stack.enter_context(Callback(given.redirect_uri))
        return client.by_code(callback, _browser(callback, given), given.wait)


def _show_code(address: str, code: str) -> None:
    click.echo(f"Open {address} in a browser, on any device, and enter the code {code}")


def _browser(callback: Callback, given: Asked) -> Callable[[str], None]:
    """Return the function that opens an address in the browser, or prints it, and says how long the command waits."""
    waits = f" This command waits for it, {given.wait:g} seconds at most."

    def show(address: str) -> None:
        import webbrowser

        if not given.print_url and webbrowser.open(address):
            click.echo(f"The login is open in your browser.{waits} If no browser opened, use --print-url.")
            return
        click.echo(f"Open this address in a browser:\n{printable(address)}\n{waits.strip()}")
        if sys.stdin.isatty():
            click.echo("If the browser then shows that it cannot reach 127.0.0.1, paste the address it was sent to:")
            threading.Thread(target=lambda: callback.take(sys.stdin.readline()), daemon=True).start()

    return show
