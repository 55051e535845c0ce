"""The access token of a login during a run: renewed when the service refuses it, as that of a token command."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from typing import Final

import httpx

from conformance import NAME
from conformance.http.renewed_tokens import RenewedToken
from conformance.login import store
from conformance.login.calls import Calls, Secrets
from conformance.login.login import Login
from conformance.model.errors import ConfigurationFault, PassingFault

SECRET_VARIABLE: Final = "DRSI_CLIENT_SECRET"  # noqa: S105 - the name of a variable

REMEDY: Final = f"Log in again with '{NAME} login', or give the token in another way; --no-login ignores the login."

_JUST_NOW: Final = 10.0
"""Seconds after which a token that is refused and has not expired is worth a renewal: it may have been revoked."""

_DISTINCTIVE: Final = 16
"""Characters: a shorter secret may be a word of the service, and is not sent to it."""


class Renewal:
    """The tokens of a login, one after another."""

    def __init__(self, login: Login, reach: Callable[[], httpx.BaseTransport]) -> None:
        """`reach` makes the transport to the authorisation server."""
        self._login, self._reach = login, reach
        self._is_first, self._is_stopped = True, False

    @property
    def secrets(self) -> list[str]:
        """The further secrets of the login, which the service may learn from the authorisation server."""
        known = (self._login.refresh_token, os.environ.get(SECRET_VARIABLE) if self._login.has_secret else None)
        return [each for each in known if each and len(each) >= _DISTINCTIVE]

    def stop(self) -> None:
        """Give up a renewal, where one is under way; it raises PassingFault."""
        self._is_stopped = True

    def output(self) -> str:
        """Return the token: the stored one if it has not expired, later a newer one, or the same if there is none.

        Raises ConfigurationFault if the login cannot be renewed.
        """
        is_first, self._is_first, self._is_stopped = self._is_first, False, False
        login = self._login
        fresh = not login.is_over() and (is_first or time.time() < login.obtained + _JUST_NOW)
        if fresh or not (login.is_renewable or is_first):
            return login.access_token
        if not login.is_renewable:
            raise ConfigurationFault("it has expired, and the authorisation server gave no refresh token.")
        try:
            self._renew(login)
        except OSError as error:
            raise ConfigurationFault(f"it cannot be renewed, because it cannot be kept: {error.strerror}.") from None
        return self._login.access_token

    def _renew(self, login: Login) -> None:
        with store.alone(login.base_url, login.user):
            kept = store.load(login.base_url, login.user)
            if kept is not None and kept.access_token != login.access_token and not kept.is_over():
                self._login = kept  # another run renewed it meanwhile
            else:
                self._login = renewed(kept or login, self._reach, lambda: "interrupted" if self._is_stopped else "")
                if kept is not None:  # it was not removed meanwhile
                    store.save(self._login, store.place(login.base_url, login.user))


def renewed(login: Login, reach: Callable[[], httpx.BaseTransport], given_up: Callable[[], str]) -> Login:
    """Return a login with a newer token; raise ConfigurationFault if the authorisation server gives none."""
    try:
        from conformance.login.grants import Client
    except ModuleNotFoundError:
        raise ConfigurationFault(f"its renewal needs Authlib: pip install '{NAME}[login]'") from None
    secret = os.environ.get(SECRET_VARIABLE) if login.has_secret else None
    if login.has_secret and not secret:
        raise ConfigurationFault(f"the client has a secret, which is never stored. Set {SECRET_VARIABLE}.")
    with closing(reach()) as transport:
        calls = Calls(transport, Secrets(), given_up=given_up)
        client = Client(calls, login.server, login.client_id, secret, scope=login.scope, meant_for=login.meant_for)
        try:
            if login.refresh_token:
                return login.with_token(client.renewed(login.refresh_token))
            return login.with_token(client.by_client_credentials())
        except ConfigurationFault as fault:
            # A server that does not answer is asked once: each call that is refused would wait for it.
            kind = PassingFault if given_up() else ConfigurationFault
            raise kind(f"it cannot be renewed. {fault}") from None


class LoginToken(RenewedToken):
    """The access token of a login."""

    def __init__(self, login: Login, reach: Callable[[], httpx.BaseTransport]) -> None:
        super().__init__(Renewal(login, reach), name=f"The login of the {login.user} user", remedy=REMEDY)
        self.renewable = login.is_renewable
