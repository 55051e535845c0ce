"""The grants of OAuth 2.0 by which a login gets its tokens and renews them. Authlib composes the requests."""

from __future__ import annotations

import hmac
import secrets as randomness
from collections.abc import Callable, Mapping
from typing import Any, Final

from authlib.oauth2.client import OAuth2Client  # type: ignore[import-untyped]  # it has no types

from conformance.http.clock import MACHINE, Clock
from conformance.login.callback import Callback
from conformance.login.calls import Calls, Refused, checked_address, checked_text, seconds_in
from conformance.login.server import Server
from conformance.model.errors import ConfigurationFault, PassingFault
from conformance.model.option_values import checked_token

DEVICE: Final = "urn:ietf:params:oauth:grant-type:device_code"

_USUAL_PAUSE: Final = 5
"""Seconds between two questions whether a device may have its token (RFC 8628, 3.5)."""
_LONGEST_PAUSE: Final = 60


class Client:
    """A client of an authorisation server."""

    def __init__(
        self,
        calls: Calls,
        server: Server,
        client_id: str,
        secret: str | None = None,
        *,
        scope: str = "",
        meant_for: Mapping[str, str] | None = None,
    ) -> None:
        """`meant_for` has the parameters that name the service of a token: resource (RFC 8707) or audience.

        Raises ConfigurationFault for a text that no call can carry.
        """
        checked_text(client_id, f"The client {calls.secrets.harmless(client_id)!r}")
        for what, text in {"client secret": secret or "", "scope": scope, **(meant_for or {})}.items():
            checked_text(text, f"The {what}")
        self._calls, self._server = calls, server
        self._meant_for = dict(meant_for or {})
        self._scope = scope
        calls.secrets.add("client_secret", secret)
        method = None
        if secret:
            method = "client_secret_post" if server.secret_in_body else "client_secret_basic"
        # The client itself knows no HTTP: it calls `post` of its session. So the limits and rules of `Calls` hold.
        self._authlib: Any = OAuth2Client(
            calls,
            client_id=client_id,
            client_secret=secret,
            token_endpoint_auth_method=method,
            scope=scope or None,
            code_challenge_method="S256",
        )

    def by_code(self, callback: Callback, show: Callable[[str], None], seconds: float) -> dict[str, Any]:
        """Return the token that a user permits in a browser, which `show` sends there, within some seconds."""
        verifier = randomness.token_urlsafe(48)
        self._calls.secrets.add("code_verifier", verifier)
        self._authlib.redirect_uri = callback.uri
        address, state = self._authlib.create_authorization_url(
            self._server.endpoint("authorization"),
            state=randomness.token_urlsafe(32),
            code_verifier=verifier,
            **self._meant_for,
        )
        show(checked_address(address, "The address for the browser"))
        code = self._code_in(callback.wait(seconds), state)
        return self._token(
            self._authlib.fetch_token(
                self._server.endpoint("token"),
                grant_type="authorization_code",
                code=code,
                code_verifier=verifier,
                **self._meant_for,
            )
        )

    def _code_in(self, answer: Mapping[str, str], state: str) -> str:
        """Return the code of the browser's answer; raise ConfigurationFault unless it is this server's to this login.

        RFC 6749, 10.12 (state); RFC 9207 (iss).
        """
        if not hmac.compare_digest(answer.get("state", "").encode(), state.encode()):
            raise ConfigurationFault(
                "The browser's answer does not have the state of this login: it belongs to another one, or is forged.",
                remedy="Log in again, in one browser, and only once at a time.",
            )
        issuer, named = self._server.issuer, answer.get("iss")
        if issuer and (named != issuer if named is not None else self._server.names_itself):
            received = "no issuer" if named is None else f"the issuer {self._calls.secrets.harmless(named)!r}"
            raise ConfigurationFault(
                f"The browser's answer names {received}, and must name {issuer!r} (RFC 9207).",
                remedy="Do not log in there: another server may have answered. Ask those who run the service.",
            )
        if (code := answer.get("error")) is not None:
            words = self._calls.secrets.harmless(answer.get("error_description", ""))
            raise Refused(code, f"The login was refused: {self._calls.secrets.harmless(code)} {words}".rstrip() + ".")
        if not answer.get("code"):
            raise ConfigurationFault("The browser's answer has no code.", remedy="Log in again.")
        self._calls.secrets.add("code", answer["code"])
        return answer["code"]

    def by_device(self, show: Callable[[str, str], None], seconds: float, clock: Clock = MACHINE) -> dict[str, Any]:
        """Return the token that a user permits on another device (RFC 8628).

        `show` gets the address to open there, and the code to enter.
        """
        asked = self._calls.post(
            self._server.endpoint("device"),
            data={**({"scope": self._scope} if self._scope else {}), **self._meant_for},
            auth=self._authlib.client_auth(self._authlib.token_endpoint_auth_method),
        ).members
        code, name = asked.get("device_code"), asked.get("user_code")
        if not isinstance(code, str) or not code or not isinstance(name, str) or not name:
            raise ConfigurationFault("The authorisation server gives no device_code and user_code (RFC 8628, 3.2).")
        self._calls.secrets.add("device_code", checked_text(code, "The device_code"))
        address = checked_address(asked.get("verification_uri"), "verification_uri")
        show(self._calls.secrets.harmless(address), self._calls.secrets.harmless(name))
        pause = min(max(seconds_in(asked.get("interval")) or _USUAL_PAUSE, 1), _LONGEST_PAUSE)
        life = seconds_in(asked.get("expires_in"))
        until = clock.seconds() + (seconds if life is None else min(seconds, life))
        while clock.seconds() + pause <= until:
            clock.sleep(pause)
            try:
                return self._token(
                    self._authlib.fetch_token(self._server.endpoint("token"), grant_type=DEVICE, device_code=code)
                )
            except Refused as reason:
                if reason.code not in ("authorization_pending", "slow_down"):
                    raise
                pause = min(pause + 5 * (reason.code == "slow_down"), _LONGEST_PAUSE)
        raise PassingFault("The code was not entered in time.", remedy="Start again; --wait gives more time.")

    def by_client_credentials(self) -> dict[str, Any]:
        """Return the token of the client itself (RFC 6749, 4.4)."""
        return self._token(
            self._authlib.fetch_token(
                self._server.endpoint("token"), grant_type="client_credentials", **self._meant_for
            )
        )

    def renewed(self, refresh_token: str) -> dict[str, Any]:
        """Return the token that a refresh token gives: for the granted scopes, as none is named (RFC 6749, 6)."""
        return self._token(
            self._authlib.refresh_token(
                self._server.endpoint("token"), refresh_token=refresh_token, scope="", **self._meant_for
            )
        )

    def _token(self, found: Mapping[str, Any]) -> dict[str, Any]:
        value, kind = found.get("access_token"), found.get("token_type", "Bearer")
        if not isinstance(value, str):
            raise ConfigurationFault("The authorisation server's answer has no access_token.")
        self._calls.secrets.add("access_token", value)
        if not isinstance(kind, str) or kind.lower() != "bearer":
            raise ConfigurationFault(
                f"The token is of the type {self._calls.secrets.harmless(kind)}; the interface takes Bearer (5.1).",
                remedy="Let the authorisation server give Bearer tokens to this client.",
            )
        refresh = found.get("refresh_token")
        refresh = refresh if isinstance(refresh, str) and refresh else None
        self._calls.secrets.add("refresh_token", checked_text(refresh or "", "The refresh_token"))
        return {**found, "access_token": checked_token(value, "The access_token"), "refresh_token": refresh}
