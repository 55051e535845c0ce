"""Where the two access tokens come from. Their values are never shown."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.failure import Failure

if TYPE_CHECKING:
    from conformance.model.target import Token

WAYS = ("", "-file", "-command")
"""How a token can be given on the command line, as endings of "token" and "other-token"."""


@dataclass(frozen=True, slots=True)
class Source:
    """One token: the way it was given, the name of that way for messages, and what was given."""

    way: str
    name: str
    given: Any
    from_environment: bool = False


def find(key: str, command_line: Mapping[str, Any], file: Mapping[str, Any], file_name: str) -> Source | None:
    """Return where the token `key` ("token", "other-token") comes from: the command line, the environment, or the file.

    Raises Failure when one of these names it twice.
    """
    return _one(key, command_line, "--{}") or _environment(key) or _one(key, file, "{} in " + file_name)


def open_token(source: Source | None) -> Token | None:
    """Return the token of `source`; a command is not run yet. Raises Failure for a file or a value that is no use."""
    from conformance.model.findings import ConfigurationFault
    from conformance.model.target import Token

    if source is None:
        return None
    try:
        if source.way == "-command":
            return Token(command=source.given, name=source.name)
        if source.way == "-file":
            return Token(_read(source))
        if source.name.startswith("--"):
            click.echo(
                f"Warning: {source.name} shows in the process list; the environment, {source.name}-file and "
                f"{source.name}-command do not.",
                err=True,
            )
        return Token(source.given)
    except ConfigurationFault as fault:
        raise Failure(f"{source.name}: {fault}", remedy="Give an access token for the service.") from None


def _one(key: str, values: Mapping[str, Any], naming: str) -> Source | None:
    given = [way for way in WAYS if values.get(f"{key}{way}") is not None]
    if len(given) > 1:
        names = " and ".join(naming.format(f"{key}{way}") for way in given)
        raise Failure(f"One token is given in more than one way: {names}.", remedy="Leave one of them.")
    return next((Source(way, naming.format(f"{key}{way}"), values[f"{key}{way}"]) for way in given), None)


def _environment(key: str) -> Source | None:
    name = f"DRSI_{key.upper().replace('-', '_')}"
    # An empty variable is what an absent secret becomes in CI: nothing was given.
    value = os.environ.get(name, "").strip()
    return Source("", name, value, from_environment=True) if value else None


def _read(source: Source) -> str:
    path = Path(source.given)
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise Failure(
            f"{source.name}: {path} cannot be read: {error.strerror or error}.",
            remedy="Name a file that holds nothing but the access token.",
        ) from None
    except UnicodeDecodeError:
        raise Failure(f"{source.name}: {path} is no text.", remedy="Name a file that holds the token.") from None
