"""The OAuth server of `serve --oauth`, with confidential clients, and an end of its tokens."""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, quote

import httpx
from cli_services import Served

from conformance.reference.call import Call, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.oauth_server import OAuthService
from conformance.reference.service import Service

PUBLIC = "example-retail-citizen"
"""The client that the settings of the reference service name. It has no secret."""
CONFIDENTIAL = "auditor"
SECRET = "client-secret-9f8e7d6c5b4a"
AUDIENCE = "https://shop.example/requests"


@dataclass
class Issued:
    """A token that the server gave."""

    user: str
    access_token: str
    refresh_token: str | None
    until: float
    audience: str


class Issuer(OAuthService):
    """The server, and what a test lets it do otherwise."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.user = "alice.example"
        """Who is logged in in the browser."""
        self.life = 3_600
        """Seconds that a token lives."""
        self.issued: list[Issued] = []

    def valid(self, token: str) -> Issued | None:
        """Return what was issued, if the reference service has to accept it."""
        found = (each for each in self.issued if (each.access_token, each.audience) == (token, AUDIENCE))
        return next((each for each in found if time.time() < each.until), None)

    def expire(self) -> None:
        """Let every access token be over now."""
        for each in self.issued:
            each.until = 0

    def metadata(self, call: Call) -> dict[str, Any]:
        return super().metadata(call) | {
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
            "authorization_response_iss_parameter_supported": True,
        }

    def authorize(self, call: Call) -> Reply:
        reply = super().authorize(replace(call, query={**call.query, "login_hint": self.user}))
        reply.headers["location"] += f"&iss={quote(self.base_url(call), safe='')}"
        return reply

    def exchange(self, call: Call) -> Reply:
        sent = dict(parse_qsl(call.body.decode()))
        if sent["grant_type"] == "client_credentials":
            shown = base64.b64encode(f"{CONFIDENTIAL}:{SECRET}".encode()).decode()
            if call.headers.get("authorization") != f"Basic {shown}":
                return Reply.json({"error": "invalid_client"}, 401)
            return self._given(CONFIDENTIAL, sent, None)
        reply = super().exchange(call)
        if reply.status != 200:
            return reply
        (user,) = (each.name for each in self.config.users if each.token == reply.document["access_token"])
        return self._given(user, sent, reply.document["refresh_token"])

    def _given(self, user: str, sent: Mapping[str, str], refresh_token: str | None) -> Reply:
        audience = sent.get("audience") or sent.get("resource") or AUDIENCE
        claims = {"sub": user, "aud": audience, "exp": int(time.time() + self.life)}
        access_token = f"{_part({'alg': 'none'})}.{_part(claims)}.{secrets.token_urlsafe(24)}"
        self.issued.append(Issued(user, access_token, refresh_token, time.time() + self.life, audience))
        found = {"access_token": access_token, "token_type": "Bearer", "expires_in": self.life}
        return Reply.json(found | ({"refresh_token": refresh_token} if refresh_token else {}))


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def protected(issuer: Served) -> type[Service]:
    """Return the reference service that takes the tokens of a server, and names it in its settings."""

    class Protected(Service):
        def accept(self, token: str) -> User | None:
            found = issuer.service.valid(token)
            return None if found is None else User(found.user, token)

        def settings(self, call: Call) -> Any:
            return {**super().settings(call), "oAuthUrl": issuer.base_url, "oAuthClientId": PUBLIC}

    return Protected


def browser(address: str) -> bool:
    """Do what a browser does in which the user is logged in: follow the redirects."""
    return httpx.get(address, follow_redirects=True, timeout=30).raise_for_status().is_success
