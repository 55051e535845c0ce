"""`drsi-conformance login`: gets an access token from the OAuth server that the service names, and keeps it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from conformance.cli.errors import Failure
from conformance.cli.option import with_options
from conformance.cli.options import Options
from conformance.cli.route import Route, demand_certificate
from conformance.login.commands import grants, logins
from conformance.model.printable import one_line, printable

if TYPE_CHECKING:
    from conformance.login.login import Login
    from conformance.model.target import Target


@click.command("login", short_help="Get an access token from the service's OAuth server, and keep it for runs.")
@logins.of_a_service
@with_options(grants.Asked, *grants.OWN)
def command(**options: Any) -> None:
    """Log in at the OAuth server of the service at BASE_URL, and keep the token: check and doctor then use it.

    The server and the client are those that GET /settings names. The password is entered in your browser; the suite
    never sees it. The specification leaves grants, scopes and paths open: nothing here becomes a verdict.
    """
    logins.demand_address(options["base_url"])
    from conformance.cli.errors import explained
    from conformance.login.calls import Secrets
    from conformance.login.grants import Client  # noqa: F401 - Authlib may be absent

    secrets = Secrets()
    with explained(secrets.text):
        _log_in(grants.Asked(**options), secrets)


def _log_in(given: grants.Asked, secrets: Any) -> None:
    from conformance.login import store
    from conformance.login.calls import LIMITS, Calls
    from conformance.model.further_headers import mark_of

    if given.user == "foreign" and not (given.audience or given.resource):
        raise click.UsageError("--user foreign needs --audience or --resource: which service is the token meant for?")
    oauth_url, client_id = _named(given)
    demand_certificate(given.client_key, given.client_cert)
    for name, value in given.header:
        secrets.add(mark_of(name), value)
    with closing(Route.of(given).to_others(LIMITS, given.base_url)) as transport:
        login = grants.granted(given, Calls(transport, secrets), oauth_url, client_id)
    _test(login)
    with logins.explained():
        place = store.save(login, given.where)
    click.echo(f"Logged in: the {login.user} token for {printable(login.base_url)} is in {place}.")
    click.echo(f"{_lasting(login)} 'drsi-conformance logout' removes it.")


def _named(given: grants.Asked) -> tuple[str, str]:
    """Return the address of the OAuth server, perhaps empty, and the client: those of options, or of GET /settings."""
    oauth_url: str = given.oauth_url or ""
    client_id: str | None = given.client_id
    if client_id and (oauth_url or given.token_endpoint):
        return oauth_url, client_id
    from conformance.model.errors import NotDecided
    from conformance.model.text import in_json
    from conformance.scenarios.api import Api

    options = Options.public(given)
    remedy = "Name them with --client-id, and with --oauth-url or --token-endpoint."
    with closing(options.session(options.target())) as session:
        try:
            published = Api(session).settings_document()
        except NotDecided as reason:
            raise Failure(
                f"GET /settings does not say where to log in. {reason.message}",
                remedy=f"{reason.remedy} {remedy}",
                cause=reason.blame,
            ) from None
    found: list[str] = []
    for member, own in (("oAuthUrl", oauth_url or given.token_endpoint), ("oAuthClientId", client_id)):
        value = published.get(member)
        if not own and not (isinstance(value, str) and value.strip()):
            raise Failure(f"{member} in GET /settings is {in_json(value, 60)}, not a text.", remedy=remedy)
        found.append(str(own or value))
    server, client = (one_line(each, 200) for each in found)
    click.echo(f"The service names the OAuth server {server} and the client {client}.")
    if oauth_url or given.token_endpoint:
        return oauth_url, found[1]
    _refuse_this_machine(found[0], options.target())
    return found[0], found[1]


def _refuse_this_machine(oauth_url: str, target: Target) -> None:
    """Raise Failure where a service elsewhere names a server of this machine: it could reach what only this one can."""
    from conformance.login.calls import checked_address
    from conformance.model.hosts import is_loopback

    if is_loopback(urlsplit(checked_address(oauth_url, "oAuthUrl")).hostname or "") and not target.is_loopback:
        raise Failure(
            f"The service at {target.base_url} names an OAuth server on this machine: {one_line(oauth_url, 200)}.",
            remedy="If that is meant, name it with --oauth-url.",
        )


def _test(login: Login) -> None:
    """Raise Failure for a token that could blame a service wrongly: that it expired, or is foreign, must be certain."""
    from conformance.login import store
    from conformance.login.login import audiences

    if login.user == "expired" and login.end is None:
        raise Failure(
            "The OAuth server does not say when the token expires, so it would never be certain that it has.",
            remedy="Give an expired token of which you know it with --expired-token-file.",
        )
    if login.user != "foreign":
        return
    meant, wanted = audiences(login.access_token), set(login.meant_for.values())
    own = {login.base_url, f"{login.base_url}/"}
    first = store.load(login.base_url, "first")
    own |= set() if first is None else audiences(first.access_token)
    if not meant & wanted or meant & own:
        shown = printable(", ".join(sorted(meant))[:200]) or "nothing that can be read"
        raise Failure(
            f"Nothing shows that the token is meant for another service only: its claim aud is {shown}. A service that "
            "accepts it might be right.",
            remedy="If you know that it is a token of another service, give it with --foreign-token-file.",
        )


def _lasting(login: Login) -> str:
    if login.user == "expired":
        return "A run uses it five minutes after it has expired, and never before."
    if login.user == "foreign":
        return "A run uses it until it expires, to see that the service refuses it."
    if login.is_renewable:
        return "A run renews it when it expires."
    return "It cannot be renewed: log in again when it has expired."
