"""The reference service with an OAuth server below its base_url: `serve --oauth`.

Its users need no password: the page of the login sends the browser back at once, as the first user, or as the user that
`login_hint` names. So it serves tests of clients, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, ClassVar, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from conformance.reference.call import Action, Call, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service

SCOPE: Final = "open-data-request-api"

_LIFE_OF_A_CODE: Final = timedelta(minutes=10)


@dataclass(frozen=True)
class _Code:
    """What the client of an authorisation code has to show again; "" where it stated nothing."""

    user: User
    until: datetime
    redirect_uri: str
    client_id: str
    challenge: str
    method: str


class OAuthService(Service):
    """The reference service, with an OAuth server below its base_url."""

    further_paths: ClassVar[Mapping[str, Mapping[str, Action]]] = {
        "/oauth/authorize": {"GET": Action.OTHER},
        "/oauth/token": {"POST": Action.OTHER},
        "/.well-known/oauth-authorization-server": {"GET": Action.OTHER},
        "/.well-known/openid-configuration": {"GET": Action.OTHER},
    }

    def __init__(self, config: ReferenceConfig) -> None:
        """Begin without any request or login."""
        super().__init__(config)
        self._codes: dict[str, _Code] = {}
        self._refresh_tokens: dict[str, User] = {}

    async def perform(self, call: Call) -> Reply:
        """Perform a call of the OAuth server, or an operation of the interface."""
        path = call.path.removeprefix(self.config.path_prefix)
        if call.operation is not Action.OTHER:
            return await super().perform(call)
        if path == "/oauth/authorize":
            return self.authorize(call)
        if path == "/oauth/token":
            return self.exchange(call)
        return Reply.json(self.metadata(call))

    def settings(self, call: Call) -> Any:
        """Return the settings, whose oAuthUrl is the base_url, as the client of the call names it."""
        return super().settings(call) | {"oAuthUrl": self.base_url(call)}

    def base_url(self, call: Call) -> str:
        """Return the base_url, with the host that the call names."""
        return f"http://{call.headers.get('host', '127.0.0.1')}{self.config.path_prefix}"

    def metadata(self, call: Call) -> dict[str, Any]:
        """Return the metadata of the OAuth server (RFC 8414)."""
        base = self.base_url(call)
        return {
            "issuer": base,
            "authorization_endpoint": f"{base}/oauth/authorize",
            "token_endpoint": f"{base}/oauth/token",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256", "plain"],
            "token_endpoint_auth_methods_supported": ["none"],
            "scopes_supported": [SCOPE],
        }

    def authorize(self, call: Call) -> Reply:
        """Send the browser back to redirect_uri with a code."""
        given = call.query
        redirect_uri = given.get("redirect_uri", "")
        to = urlsplit(redirect_uri)
        if not to.scheme or to.fragment:
            return _error("invalid_request", "redirect_uri has to be an absolute address without a fragment.")
        hinted = given.get("login_hint", self.config.users[0].name)
        user = next((each for each in self.config.users if each.name == hinted), None)
        method = given.get("code_challenge_method", "plain")
        if user is None:
            answer = {"error": "access_denied", "error_description": "login_hint names no user of this service."}
        elif method not in ("S256", "plain"):
            answer = {"error": "invalid_request", "error_description": "code_challenge_method is S256 or plain."}
        else:
            code = secrets.token_urlsafe(24)
            self._codes[code] = _Code(
                user,
                self.now() + _LIFE_OF_A_CODE,
                redirect_uri,
                given.get("client_id", ""),
                given.get("code_challenge", ""),
                method,
            )
            answer = {"code": code}
        answer |= {"state": given["state"]} if "state" in given else {}
        query = "&".join(filter(None, (to.query, urlencode(answer))))
        return Reply(302, b"", {"location": to._replace(query=query).geturl(), "cache-control": "no-store"})

    def exchange(self, call: Call) -> Reply:
        """Return the access token for a code or a refresh token (RFC 6749, 4.1.3 and 6; RFC 7636, 4.6)."""
        given = dict(parse_qsl(call.body.decode("utf-8", "replace"), keep_blank_values=True))
        grant = given.get("grant_type", "")
        if grant == "refresh_token":
            user = self._refresh_tokens.pop(given.get("refresh_token", ""), None)
        elif grant == "authorization_code":
            code = self._codes.pop(given.get("code", ""), None)
            user = code.user if code is not None and self._shows(given, code) else None
        else:
            return _error("unsupported_grant_type", "grant_type is authorization_code or refresh_token.")
        if user is None:
            return _error("invalid_grant", "The code is unknown, used, expired, or that of another call.")
        refresh_token = secrets.token_urlsafe(24)
        self._refresh_tokens[refresh_token] = user
        token = {
            "access_token": user.token,
            "token_type": "Bearer",
            "refresh_token": refresh_token,
            "scope": SCOPE,
        }
        reply = Reply.json(token)
        return replace(reply, headers=reply.headers | {"cache-control": "no-store"})

    def _shows(self, given: Mapping[str, str], code: _Code) -> bool:
        """Tell whether the client that brings a code is the one that asked for it."""
        alike = all(
            name not in given or given[name] == stated
            for name, stated in (("redirect_uri", code.redirect_uri), ("client_id", code.client_id))
        )
        verifier = given.get("code_verifier", "")
        if code.method == "S256":
            digest = hashlib.sha256(verifier.encode("utf-8", "replace")).digest()
            verifier = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        proven = not code.challenge or secrets.compare_digest(verifier.encode(), code.challenge.encode())
        return alike and proven and self.now() < code.until


def _error(error: str, description: str) -> Reply:
    """Return an error of the OAuth server (RFC 6749, 5.2)."""
    return Reply.json({"error": error, "error_description": description}, 400)
