"""Secrets of the user, which the environment gives or a person at the terminal."""

from __future__ import annotations

import os
import sys
from typing import Final

import click

from conformance.cli.errors import Failure

PASSPHRASE: Final = "DRSI_KEY_PASSPHRASE"  # noqa: S105 - the name of a variable
PASSWORD: Final = "DRSI_TIMESTAMP_PASSWORD"  # noqa: S105 - the name of a variable


def passphrase() -> str:
    """Return the pass phrase of a private key."""
    return _asked(PASSPHRASE, "The key is encrypted", "its pass phrase", "Pass phrase of the key")


def password() -> str:
    """Return the password for the time-stamping authority."""
    return _asked(PASSWORD, "--timestamp-user needs a password", "it", "Password for the time stamps")


def _asked(variable: str, reason: str, what: str, prompt: str) -> str:
    if given := os.environ.get(variable):
        return given
    if not sys.stdin.isatty():
        raise Failure(
            f"{reason}, and there is no terminal to ask for {what}.",
            remedy=f"Set {variable}, or run the command in a terminal.",
        )
    return str(click.prompt(prompt, hide_input=True, err=True))
