"""Where logins are kept: the tokens in the key ring of the system, or in a file for this user alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import httpx

from conformance import NAME
from conformance.http.own_folder import alone as alone_with
from conformance.http.own_folder import own_folder, read, write
from conformance.login.login import SECRET, USERS, Login
from conformance.model.errors import ConfigurationFault

_IN_RING: Final = "key ring"


def normal(base_url: str) -> str:
    """Return a base_url as logins are found by it."""
    return str(httpx.URL(base_url)).rstrip("/")


def path_of(base_url: str, user: str) -> Path:
    """Return the file of a login."""
    return own_folder("logins") / f"{hashlib.sha256(f'{user} {normal(base_url)}'.encode()).hexdigest()[:32]}.json"


def stored(base_url: str) -> Iterator[str]:
    """Yield the users that have a login at a service."""
    return (user for user in USERS if path_of(base_url, user).exists())


def save(login: Login, where: str = "auto") -> str:
    """Keep a login, in place of an earlier one of the same user; return in words where its tokens are.

    `where` is "keyring", "file", or "auto": in the key ring if one can be used. Raises ConfigurationFault, OSError.
    """
    data, path = login.data(), path_of(login.base_url, login.user)
    secret = {name: data.pop(name) for name in SECRET}
    in_ring = where != "file" and _put(login, json.dumps(secret), must=where == "keyring")
    write(path, {**data, "tokens": _IN_RING if in_ring else secret})
    if not in_ring:
        _drop(login.base_url, login.user, where)
    return "the key ring of this system" if in_ring else f"{path}, a file for this user alone"


def load(base_url: str, user: str) -> Login | None:
    """Return the login of a user, or None; raise ConfigurationFault if it cannot be read or others can read it."""
    try:
        path = path_of(base_url, user)
    except ConfigurationFault:
        return None  # a run needs no login
    try:
        content = read(path)
    except ConfigurationFault as fault:
        remedy = f"The tokens may be known to others: run '{NAME} logout', and log in again."
        raise ConfigurationFault(str(fault), remedy=remedy) from None
    if content is None:
        return None
    try:
        data = json.loads(content)
        tokens = json.loads(_get(base_url, user)) if data["tokens"] == _IN_RING else data["tokens"]
        return Login.from_data({**data, **tokens})
    except ConfigurationFault:
        raise
    except (ValueError, KeyError, TypeError):
        raise ConfigurationFault(f"{path} is no login.", remedy=_again()) from None


def place(base_url: str, user: str) -> str:
    """Return where the tokens of a stored login are, as `save` takes it."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return "keyring" if json.loads(path_of(base_url, user).read_bytes())["tokens"] == _IN_RING else "file"
    return "auto"


def remove(base_url: str, user: str) -> None:
    """Remove a login, wherever it is."""
    _drop(base_url, user, place(base_url, user))
    path_of(base_url, user).unlink(missing_ok=True)


@contextmanager
def alone(base_url: str, user: str) -> Iterator[None]:
    """Renew a login alone: of two runs, the later one finds what the first one got, as a refresh token works once."""
    with alone_with(path_of(base_url, user)):
        yield


def _again() -> str:
    return f"Remove it with '{NAME} logout', and log in again with '{NAME} login'."


def _put(login: Login, secret: str, *, must: bool) -> bool:
    """Put the tokens into the key ring; return whether they are there."""
    try:
        import keyring

        entry = f"{login.user} {normal(login.base_url)}"
        if must or keyring.get_keyring().priority >= 1:
            keyring.set_password(NAME, entry, secret)
            if keyring.get_password(NAME, entry) == secret:
                return True
        problem = "it keeps nothing"
    except ImportError:
        problem = f"the package keyring is not installed: pip install '{NAME}[login]'"
    except Exception as error:  # backends raise errors of their own
        problem = type(error).__name__
    if must:
        raise ConfigurationFault(
            f"The key ring of this system cannot be used: {problem}.",
            remedy="Unlock it, or keep the tokens in a file for this user alone: --store file.",
        )
    return False


def _get(base_url: str, user: str) -> str:
    try:
        import keyring

        found = keyring.get_password(NAME, f"{user} {normal(base_url)}")
    except ImportError:
        raise ConfigurationFault(
            "The tokens of the login are in the key ring, and the package keyring is not installed.",
            remedy=f"Install it with: pip install '{NAME}[login]'",
        ) from None
    except Exception as error:  # backends raise errors of their own
        raise ConfigurationFault(
            f"The key ring of this system cannot be read: {type(error).__name__}.",
            remedy=f"Unlock it, or log in again with '{NAME} login --store file'.",
        ) from None
    if found is None:
        raise ConfigurationFault("The tokens of the login are not in the key ring.", remedy=_again())
    return found


def _drop(base_url: str, user: str, where: str) -> None:
    if where != "file":
        with suppress(Exception):  # it is not there, or nothing is
            import keyring

            keyring.delete_password(NAME, f"{user} {normal(base_url)}")
