"""The tokens that `login` keeps, as tokens of a run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import click

from conformance.cli.errors import Failure
from conformance.cli.option import with_options
from conformance.cli.route import OPTIONS, Route
from conformance.cli.target_options import TargetOptions

if TYPE_CHECKING:
    from conformance.login.login import Login
    from conformance.model.target import Token

LEEWAY: Final = 300.0
"""Seconds for which services may still accept an expired token, because clocks differ."""

_USERS: Final = {"token": "first", "other_token": "other", "expired_token": "expired", "foreign_token": "foreign"}
WHOSE: Final = click.Choice(list(_USERS.values()))
"""Whose token a login keeps."""


of_a_service = with_options(TargetOptions, "config", "base_url", *OPTIONS)
"""Adds the arguments that name the service of a login."""


def demand_address(base_url: str | None) -> str:
    """Return the address of the service, which a configuration file may name; raise UsageError if nothing does."""
    if base_url is None:
        raise click.UsageError("The address of the service is missing. Add the BASE_URL.")
    return base_url


def token(base_url: str, key: str, route: Route) -> Token | None:
    """Return the stored token for the option `key`, such as "other_token", or None; raise Failure if it is unusable."""
    from conformance.login import store

    user = _USERS[key]
    with explained():
        login = store.load(base_url, user)
    if login is None:
        return None
    from conformance.login.calls import LIMITS
    from conformance.login.renewal import LoginToken
    from conformance.model.target import Token

    if user in ("first", "other"):
        click.echo(f"The {user} user's token is that of the login of {_day(login.obtained)}.", err=True)
        return LoginToken(login, lambda: route.to_others(LIMITS, base_url))
    if reason := _not_yet(login) if user == "expired" else _no_more(login):
        click.echo(f"Warning: the {user} token of 'login' is not used: {reason}", err=True)
        return None
    return Token(login.access_token)


def _not_yet(login: Login) -> str:
    """Return why a token that is kept until it has expired is not used yet, or ""."""
    end = login.end
    if end is None or time.time() > end + LEEWAY:
        return ""
    return f"services may accept it until {_day(end + LEEWAY)}. Run again after that."


def _no_more(login: Login) -> str:
    """Return why a token of another service is of no use any more, or "": an expired one is refused anyway."""
    return "it has expired. Log in again with --user foreign." if login.is_over(0) else ""


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"


@contextmanager
def explained() -> Iterator[None]:
    """Turn a ConfigurationFault of logins, and a folder that cannot be used, into a Failure."""
    from conformance.model.errors import ConfigurationFault

    try:
        yield
    except ConfigurationFault as fault:
        raise Failure(str(fault), remedy=fault.remedy) from None
    except OSError as error:
        raise Failure(
            f"The folder of the logins cannot be used: {error.filename}: {error.strerror or error}.",
            remedy="Let it be a folder of this user alone; XDG_STATE_HOME names another place.",
        ) from None
