"""The sources of the access tokens: the command line, the environment, the configuration file, and a login."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from conformance.cli.errors import Failure

if TYPE_CHECKING:
    from conformance.model.target import Token


def token(context: click.Context, key: str) -> Token | None:
    """Return the token `key`, such as "other_token", that the command line, the environment or the file gives.

    A token given without a BASE_URL is an error: the reference service has tokens of its own. A variable may be set for
    other runs, so it only causes a warning.
    """
    for source in (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP):
        given = {
            _shown(context, source, name): name
            for name in (key, f"{key}_file", f"{key}_command")
            # CI sets the variable of a secret that does not exist to an empty text.
            if context.get_parameter_source(name) is source and str(context.params[name]).strip()
        }
        if len(given) > 1:
            raise click.UsageError(
                f"One token is given in more than one way: {' and '.join(given)}. Remove one of them."
            )
        for shown, name in given.items():
            if context.params["base_url"] is not None or context.params.get("app") is not None:
                return _with_its_length(context, _opened(shown, name, context.params[name]), shown)
            if source is not ParameterSource.ENVIRONMENT:
                raise click.UsageError(
                    f"{shown} gives a token, but there is no BASE_URL to use it for. Add the BASE_URL."
                )
            click.echo(f"Warning: {shown} is not used: without a BASE_URL the reference service is checked.", err=True)
            return None
    return _of_a_login(context, key)


def _of_a_login(context: click.Context, key: str) -> Token | None:
    """Return the token that `login` keeps for the service, or None: for a command that takes it and needs it."""
    params = context.params
    if params["base_url"] is None or not params.get("login") or params["profile"] == "public" or key not in params:
        return None
    from conformance.cli import part
    from conformance.cli.route import OPTIONS, Route

    stored: Token | None = part("the tokens of login").token(
        params["base_url"], key, Route(**{name: params[name] for name in OPTIONS})
    )
    return stored and _with_its_length(context, stored, "The token of the login")


def _with_its_length(context: click.Context, given: Token, shown: str) -> Token:
    """Return the token; refuse a short one, unless that is allowed. `shown` names its source.

    What a command prints, or a server gives, is not known yet: it is refused when it is there.
    """
    from conformance.http.renewed_tokens import RenewedToken
    from conformance.http.secrets.short_tokens import ShortToken, demand_long

    if isinstance(given, RenewedToken):
        given.must_be_long = not context.params["allow_short_token"]
    elif not context.params["allow_short_token"]:
        try:
            demand_long(given.current(), shown)
        except ShortToken as fault:
            raise Failure(str(fault), remedy=fault.remedy, state="The service was not contacted.") from None
    return given


def _shown(context: click.Context, source: ParameterSource, name: str) -> str:
    if source is ParameterSource.ENVIRONMENT:
        return f"DRSI_{name.upper()}"
    if source is ParameterSource.COMMANDLINE:
        return next(option.opts[0] for option in context.command.params if option.name == name)
    return f"{name.replace('_', '-')} in {context.params['config']}"


def _opened(shown: str, name: str, given: Any) -> Token:
    from conformance.http.renewed_tokens import CommandToken
    from conformance.model.errors import ConfigurationFault
    from conformance.model.option_values import checked_token
    from conformance.model.target import Token

    try:
        if name.endswith("_command"):
            return CommandToken(given, name=shown)
        if name.endswith("_file"):
            return Token(checked_token(Path(given).read_bytes().decode("utf-8"), "The token"))
        if shown.startswith("--"):
            click.echo(
                f"Warning: {shown} is visible in the process list; {shown}-file and DRSI_{name.upper()} are not.",
                err=True,
            )
        return Token(checked_token(given, "The token"))
    except (ConfigurationFault, UnicodeDecodeError, OSError) as error:
        reason = f"{given} cannot be read: {error.strerror}." if isinstance(error, OSError) else error
        if isinstance(error, UnicodeDecodeError):
            reason = f"{given} is not UTF-8 text."
        raise click.UsageError(f"{shown}: {reason} Expected: an access token for the service.") from None
