"""Gets a token by the grant that was chosen: asks for the secret, shows the code, opens the browser."""

from __future__ import annotations

import os
import shlex
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.errors import Failure
from conformance.model.printable import one_line, printable

if TYPE_CHECKING:
    from conformance.login.callback import Callback
    from conformance.login.calls import Calls
    from conformance.login.grants import Client
    from conformance.login.login import Login
    from conformance.login.server import Server
    from conformance.model.target import Proxy

_ENDPOINTS = ("authorization", "token", "device", "revocation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options of the command login."""

    config: Path | None
    base_url: str
    user: str
    grant: str
    print_url: bool
    client_id: str | None
    ask_client_secret: bool
    scope: str
    resource: str | None
    audience: str | None
    oauth_url: str | None
    authorization_endpoint: str | None
    token_endpoint: str | None
    device_endpoint: str | None
    revocation_endpoint: str | None
    redirect_uri: str
    where: str
    wait: float
    ca_file: Path | None
    client_cert: Path | None
    client_key: Path | None
    proxy: Proxy | None
    header: tuple[tuple[str, str], ...]
    timeout: float | None
    debug: bool


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
    secret = _client_secret(server, named=named, ask=given.ask_client_secret or given.grant == "client-credentials")
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


def _client_secret(server: Server, *, named: bool, ask: bool) -> str | None:
    """Return the client's secret, or None; `named` says that the user, not the service, names the OAuth server."""
    from conformance.login.renewal import SECRET_VARIABLE

    given = os.environ.get(SECRET_VARIABLE)
    if given and not named:
        raise Failure(
            f"{SECRET_VARIABLE} would go to an OAuth server that only the service names.",
            remedy=f"If the secret belongs there, add --oauth-url {shlex.quote(one_line(server.issuer, 200))}",
            state="The secret was not sent.",
        )
    if given or not ask:
        return given or None
    if not sys.stdin.isatty():
        raise Failure(
            "The client needs its secret, and there is no terminal to ask for it.",
            remedy=f"Set {SECRET_VARIABLE}, or run the command in a terminal.",
        )
    return str(click.prompt(f"Secret of the client at {one_line(server.token, 200)}", hide_input=True, err=True))


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
