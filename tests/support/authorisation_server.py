"""An authorisation server on this machine: that of Authlib, in Flask, with everything in memory."""

from __future__ import annotations

import base64
import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import (
    DeviceAuthorizationEndpoint,
    DeviceCodeGrant,
    DeviceCredentialDict,
)
from authlib.oauth2.rfc9207 import IssuerParameter
from flask import Flask, Response, request
from werkzeug.serving import make_server

from conformance.reference.config import User
from conformance.reference.service import Service

PUBLIC = "example-retail-citizen"
"""The client that the settings of the reference service name. It has no secret."""
CONFIDENTIAL = "auditor"
SECRET = "client-secret-9f8e7d6c5b4a"
AUDIENCE = "https://shop.example/requests"


@dataclass
class _Client(ClientMixin):
    client_id: str
    secret: str | None = None

    def get_client_id(self) -> str:
        return self.client_id

    def get_default_redirect_uri(self) -> None:
        return None

    def get_allowed_scope(self, scope: str | None) -> str:
        return scope or ""

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return urlsplit(redirect_uri).hostname in ("127.0.0.1", "localhost")

    def check_client_secret(self, client_secret: str) -> bool:
        return self.secret == client_secret

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:  # noqa: ARG002
        return method == ("client_secret_basic" if self.secret else "none")

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type != "client_credentials" or self.secret is not None


@dataclass
class Issued(TokenMixin):
    """A token that the server gave."""

    client_id: str
    user: str
    access_token: str
    refresh_token: str | None
    scope: str
    until: float
    audience: str
    revoked: bool = False

    def check_client(self, client: _Client) -> bool:
        return self.client_id == client.client_id

    def get_scope(self) -> str:
        return self.scope

    def is_revoked(self) -> bool:
        return self.revoked


@dataclass
class _Code:
    client_id: str
    redirect_uri: str
    scope: str
    user: str
    code_challenge: str | None
    code_challenge_method: str | None

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope


@dataclass
class Issuer:
    """The state of the server, and what a test lets it do otherwise."""

    address: str = ""
    user: str = "alice.example"
    """Who is logged in in the browser."""
    life: int = 3_600
    """Seconds that a token lives."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """Members of the metadata that differ; None leaves one out."""
    pending: int = 0
    """How often a device still has to ask."""
    answers: dict[str, Callable[[], Response]] = field(default_factory=dict)
    """By path, answers that are another than Authlib's."""
    clients: dict[str, _Client] = field(
        default_factory=lambda: {each.client_id: each for each in (_Client(PUBLIC), _Client(CONFIDENTIAL, SECRET))}
    )
    codes: dict[str, _Code] = field(default_factory=dict)
    devices: dict[str, dict[str, Any]] = field(default_factory=dict)
    issued: list[Issued] = field(default_factory=list)
    calls: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Path and parameters of each call."""

    def valid(self, token: str, audience: str = AUDIENCE) -> Issued | None:
        """Return what was issued, if a service with this audience has to accept it."""
        return next(
            (
                each
                for each in self.issued
                if (each.access_token, each.audience, each.revoked) == (token, audience, False)
                and time.time() < each.until
            ),
            None,
        )

    def expire(self) -> None:
        """Let every access token be over now."""
        for each in self.issued:
            each.until = 0

    def revoke(self) -> None:
        """Revoke everything."""
        for each in self.issued:
            each.revoked = True

    def service(self) -> type[Service]:
        """Return the reference service that takes the tokens of this server, and names it in its settings."""
        issuer = self

        class Protected(Service):
            def accept(self, token: str) -> User | None:
                found = issuer.valid(token)
                return None if found is None else User(found.user, token)

            def settings(self, call: Any) -> Any:
                return {**super().settings(call), "oAuthUrl": issuer.address, "oAuthClientId": PUBLIC}

        return Protected


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _grants(issuer: Issuer) -> list[tuple[type, list[Any]]]:
    class Code(grants.AuthorizationCodeGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ("none", "client_secret_basic")

        def save_authorization_code(self, code: str, request: Any) -> None:
            sent = request.payload.data
            issuer.codes[code] = _Code(
                request.client.client_id,
                request.payload.redirect_uri,
                request.scope or "",
                request.user,
                sent.get("code_challenge"),
                sent.get("code_challenge_method"),
            )

        def query_authorization_code(self, code: str, client: _Client) -> _Code | None:
            found = issuer.codes.get(code)
            return found if found is not None and found.client_id == client.client_id else None

        def delete_authorization_code(self, authorization_code: _Code) -> None:
            issuer.codes = {code: one for code, one in issuer.codes.items() if one is not authorization_code}

        def authenticate_user(self, authorization_code: _Code) -> str:
            return authorization_code.user

    class Refresh(grants.RefreshTokenGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ("none", "client_secret_basic")
        INCLUDE_NEW_REFRESH_TOKEN = True

        def authenticate_refresh_token(self, refresh_token: str) -> Issued | None:
            return next(
                (one for one in issuer.issued if (one.refresh_token, one.revoked) == (refresh_token, False)), None
            )

        def authenticate_user(self, credential: Issued) -> str:
            return credential.user

        def revoke_old_credential(self, credential: Issued) -> None:
            credential.revoked = True

    class OfTheClient(grants.ClientCredentialsGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic",)

    class Device(DeviceCodeGrant):
        def query_device_credential(self, device_code: str) -> Any:
            found = issuer.devices.get(device_code)
            return found and DeviceCredentialDict(found)

        def query_user_grant(self, user_code: str) -> tuple[str, bool] | None:  # noqa: ARG002
            issuer.pending -= 1
            return None if issuer.pending >= 0 else (issuer.user, issuer.user != "")

        def should_slow_down(self, credential: Any) -> bool:  # noqa: ARG002
            return issuer.pending % 2 == 1

    return [(Code, [CodeChallenge(required=True)]), (Refresh, []), (OfTheClient, []), (Device, [])]


def _endpoints(issuer: Issuer) -> list[type]:
    class Revocation(RevocationEndpoint):
        CLIENT_AUTH_METHODS = ("none", "client_secret_basic")

        def query_token(self, token_string: str, token_type_hint: str | None) -> Issued | None:  # noqa: ARG002
            return next((one for one in issuer.issued if token_string in (one.access_token, one.refresh_token)), None)

        def revoke_token(self, token: Issued, request: Any) -> None:  # noqa: ARG002
            token.revoked = True

    class Devices(DeviceAuthorizationEndpoint):
        INTERVAL = 1

        def get_verification_uri(self) -> str:
            return f"{issuer.address}/device"

        def save_device_credential(self, client_id: str, scope: str, data: dict[str, Any]) -> None:
            issuer.devices[data["device_code"]] = {
                **data,
                "client_id": client_id,
                "scope": scope or "",
                "expires_at": time.time() + data["expires_in"],
            }

    return [Revocation, Devices]


def _app(issuer: Issuer) -> Flask:
    app = Flask("authorisation server")

    def keep(token: dict[str, Any], sent: Any) -> None:
        audience = sent.form.get("audience") or sent.form.get("resource") or AUDIENCE
        claims = {"sub": sent.user or sent.client.client_id, "aud": audience, "exp": int(time.time() + issuer.life)}
        token["access_token"] = f"{_part({'alg': 'none'})}.{_part(claims)}.{secrets.token_urlsafe(24)}"
        issuer.issued.append(
            Issued(
                sent.client.client_id,
                claims["sub"],
                token["access_token"],
                token.get("refresh_token"),
                token.get("scope", ""),
                time.time() + issuer.life,
                audience,
            )
        )

    server = AuthorizationServer(app, query_client=issuer.clients.get, save_token=keep)
    server.register_token_generator(
        "default",
        BearerTokenGenerator(
            lambda **_: secrets.token_urlsafe(24), lambda **_: secrets.token_urlsafe(32), lambda *_: issuer.life
        ),
    )
    for grant, extensions in _grants(issuer):
        server.register_grant(grant, extensions)
    for endpoint in _endpoints(issuer):
        server.register_endpoint(endpoint)

    class OwnName(IssuerParameter):
        def get_issuer(self) -> str:
            return str(issuer.metadata.get("iss", issuer.address))

    server.register_extension(OwnName())

    @app.before_request
    def another() -> Response | None:
        issuer.calls.append((request.path, {**request.args, **request.form}))
        return issuer.answers[request.path]() if request.path in issuer.answers else None

    @app.get("/.well-known/oauth-authorization-server")
    def metadata() -> dict[str, Any]:
        published = {
            "issuer": issuer.address,
            "authorization_endpoint": f"{issuer.address}/authorize",
            "token_endpoint": f"{issuer.address}/token",
            "device_authorization_endpoint": f"{issuer.address}/device_authorization",
            "revocation_endpoint": f"{issuer.address}/revoke",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }
        return {name: value for name, value in {**published, **issuer.metadata}.items() if value is not None}

    @app.get("/authorize")
    def authorize() -> Any:
        grant = server.get_consent_grant(end_user=issuer.user or None)
        return server.create_authorization_response(grant=grant, grant_user=issuer.user or None)

    @app.post("/token")
    def token() -> Any:
        return server.create_token_response()

    @app.post("/device_authorization")
    def device() -> Any:
        return server.create_endpoint_response(DeviceAuthorizationEndpoint.ENDPOINT_NAME)

    @app.post("/revoke")
    def revoke() -> Any:
        return server.create_endpoint_response(RevocationEndpoint.ENDPOINT_NAME)

    return app


@contextmanager
def authorisation_server() -> Iterator[Issuer]:
    """Serve an authorisation server from threads."""
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # of the server, which otherwise wants https on this machine too
    issuer = Issuer()
    server = make_server("127.0.0.1", 0, _app(issuer), threaded=True)
    issuer.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def browser(address: str) -> bool:
    """Do what a browser does in which the user is logged in: follow the redirects."""
    return httpx.get(address, follow_redirects=True, timeout=30).raise_for_status().is_success
