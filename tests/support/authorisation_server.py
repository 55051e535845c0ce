"""An OAuth server on this machine, in memory: codes with PKCE, refresh, devices, clients, revocation."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

import httpx
from cli_services import listening
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from conformance.reference.config import User
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
    revoked: bool = False


class Refused(Exception):
    """An error object (RFC 6749, 5.2)."""


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
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    """What the browser sent for each code, and who was logged in."""
    devices: set[str] = field(default_factory=set)
    issued: list[Issued] = field(default_factory=list)
    calls: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Path and parameters of each call."""

    def valid(self, token: str) -> Issued | None:
        """Return what was issued, if the reference service has to accept it."""
        wanted = (token, AUDIENCE, False)
        found = (each for each in self.issued if (each.access_token, each.audience, each.revoked) == wanted)
        return next((each for each in found if time.time() < each.until), None)

    def expire(self) -> None:
        """Let every access token be over now."""
        for each in self.issued:
            each.until = 0

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

    def token(self, sent: dict[str, str], client: str) -> dict[str, Any]:
        """Return the answer of the token endpoint; raise Refused."""
        user, renewable = client, sent["grant_type"] != "client_credentials"
        match sent["grant_type"].rpartition(":")[2]:
            case "authorization_code":
                code = self.codes.pop(sent["code"], {})
                digest = hashlib.sha256(sent["code_verifier"].encode()).digest()
                shown = {
                    "client_id": client,
                    "redirect_uri": sent["redirect_uri"],
                    "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
                }
                if not shown.items() <= code.items():
                    raise Refused("invalid_grant")
                user = code["user"]
            case "refresh_token":
                alive = (each for each in self.issued if not each.revoked)
                former = next((each for each in alive if each.refresh_token == sent["refresh_token"]), None)
                if former is None:
                    raise Refused("invalid_grant")
                former.revoked, user = True, former.user
            case "device_code":
                self.pending -= 1
                if sent["device_code"] not in self.devices or self.pending >= 0:
                    raise Refused("slow_down" if self.pending % 2 else "authorization_pending")
                user = self.user
            case "client_credentials" if client != CONFIDENTIAL:
                raise Refused("unauthorized_client")
        return self._given(user, sent.get("audience") or sent.get("resource") or AUDIENCE, renewable=renewable)

    def _given(self, user: str, audience: str, *, renewable: bool) -> dict[str, Any]:
        claims = {"sub": user, "aud": audience, "exp": int(time.time() + self.life)}
        access_token = f"{_part({'alg': 'none'})}.{_part(claims)}.{secrets.token_urlsafe(24)}"
        refresh_token = secrets.token_urlsafe(32) if renewable else None
        self.issued.append(Issued(user, access_token, refresh_token, time.time() + self.life, audience))
        found = {"access_token": access_token, "token_type": "Bearer", "expires_in": self.life}
        return found | ({"refresh_token": refresh_token} if refresh_token else {})


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _client(request: Request, sent: dict[str, str]) -> str:
    """Return the client of a call; raise Refused for one that is unknown or does not show its secret."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    shown = base64.b64decode(given).decode() if scheme == "Basic" else f"{sent.get('client_id')}:"
    if shown not in (f"{PUBLIC}:", f"{CONFIDENTIAL}:{SECRET}"):
        raise Refused("invalid_client")
    return shown.partition(":")[0]


def _app(issuer: Issuer) -> Starlette:
    async def form(request: Request) -> dict[str, str]:
        sent = dict(parse_qsl((await request.body()).decode()))
        issuer.calls.append((request.url.path, sent))
        return sent

    async def metadata(request: Request) -> Response:
        issuer.calls.append((request.url.path, {}))
        published = {
            "issuer": issuer.address,
            "authorization_endpoint": f"{issuer.address}/authorize",
            "token_endpoint": f"{issuer.address}/token",
            "device_authorization_endpoint": f"{issuer.address}/device_authorization",
            "revocation_endpoint": f"{issuer.address}/revoke",
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }
        return JSONResponse({name: value for name, value in (published | issuer.metadata).items() if value is not None})

    async def authorize(request: Request) -> Response:
        sent = dict(request.query_params)
        issuer.calls.append((request.url.path, sent))
        code = secrets.token_urlsafe(24)
        issuer.codes[code] = sent | {"user": issuer.user}
        answer = {"code": code, "state": sent["state"], "iss": issuer.address}
        return RedirectResponse(f"{sent['redirect_uri']}?{urlencode(answer)}", 302)

    async def token(request: Request) -> Response:
        sent = await form(request)
        return JSONResponse(issuer.token(sent, _client(request, sent)))

    async def device(request: Request) -> Response:
        _client(request, await form(request))
        issuer.devices.add(code := secrets.token_urlsafe(24))
        shown = {"user_code": "ABCD-EFGH", "verification_uri": f"{issuer.address}/device"}
        return JSONResponse(shown | {"device_code": code, "expires_in": 1_800, "interval": 1})

    async def revoke(request: Request) -> Response:
        sent = await form(request)
        _client(request, sent)
        for each in issuer.issued:
            each.revoked |= sent["token"] in (each.access_token, each.refresh_token)
        return Response()

    def refused(_: Request, error: Exception) -> Response:
        return JSONResponse({"error": str(error)}, 401 if str(error) == "invalid_client" else 400)

    get, post = ["GET"], ["POST"]
    routes = [
        Route("/.well-known/oauth-authorization-server", metadata, methods=get),
        Route("/authorize", authorize, methods=get),
        Route("/token", token, methods=post),
        Route("/device_authorization", device, methods=post),
        Route("/revoke", revoke, methods=post),
    ]
    return Starlette(routes=routes, exception_handlers={Refused: refused})


@contextmanager
def authorisation_server() -> Iterator[Issuer]:
    """Serve an authorisation server from a thread."""
    issuer = Issuer()
    with listening(_app(issuer)) as issuer.address:
        yield issuer


def browser(address: str) -> bool:
    """Do what a browser does in which the user is logged in: follow the redirects."""
    return httpx.get(address, follow_redirects=True, timeout=30).raise_for_status().is_success
