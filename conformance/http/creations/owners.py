"""Whose a journal is: marks of the accounts, and seals of the user of this machine, by which both are known again.

A mark is a slow digest with a salt: the journal shows neither the token nor the account. A seal is a digest of a line
with a key that only this user has: others who send a journal cannot make one.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import pbkdf2_hmac
from typing import Final

from conformance.http.own_folder import alone, own_folder, read, write
from conformance.model.account import jwt_claims
from conformance.model.errors import ConfigurationFault
from conformance.model.target import Target, Token
from conformance.model.text import encode

_ROUNDS: Final = 100_000
"""As long as a token is that somebody can guess, guessing takes so many digests for each guess."""

_SALT: Final = "salt"


def marks_of(target: Target) -> dict[str, str]:
    """Return the salt and the mark of each user of a run, by the label of the credential."""
    salt = secrets.token_hex(16)
    return {_SALT: salt} | {label: _mark(token, salt) for label, token in _users(target)}


def are_of(marks: Mapping[str, str], target: Target) -> bool:
    """Whether marks in a journal are of a user of `target`. A journal without marks may be anyone's."""
    salt = marks.get(_SALT, "")
    known = {mark for label, mark in marks.items() if label != _SALT}
    return bool(known) and any(_mark(token, salt) in known for _, token in _users(target))


def sealing() -> Callable[[str], str] | None:
    """Return what seals a text with the key of this user, made at its first use; None where no key can be kept."""
    with suppress(OSError, ConfigurationFault, ValueError, KeyError, TypeError):
        path = own_folder("journals") / "key.json"
        with alone(path):
            if read(path) is None:
                write(path, {"key": secrets.token_hex(32)})
            key = bytes.fromhex(json.loads(read(path) or b"")["key"])
        return lambda text: hmac.digest(key, text.encode(), "sha256").hex()
    return None


def _users(target: Target) -> Iterator[tuple[str, Token]]:
    for label, token in (("user", target.user), ("other user", target.other)):
        if token is not None:
            yield label, token


def _mark(token: Token, salt: str) -> str:
    """Return the mark of an account: of issuer and subject where a JWT names them, which its renewals share."""
    value = token.current()
    claims = jwt_claims(value)
    account = f"{claims.get('iss', '')} {claims['sub']}" if "sub" in claims else value
    return pbkdf2_hmac("sha256", encode(account), encode(salt), _ROUNDS).hex()
