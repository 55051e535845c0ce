"""An authorisation server: its endpoints, as it publishes them (RFC 8414, OpenID Connect) or as options give them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlsplit

from conformance.login.calls import Calls, checked_address
from conformance.model.errors import ConfigurationFault, PassingFault
from conformance.model.exchange import same_origin
from conformance.model.text import listed

OPTIONS: Final = {
    "authorization": "--authorization-endpoint",
    "token": "--token-endpoint",
    "device": "--device-endpoint",
}
"""The options that name endpoints, by the members of Server."""

_PUBLISHED: Final = {
    "authorization": "authorization_endpoint",
    "token": "token_endpoint",
    "device": "device_authorization_endpoint",
}


@dataclass(frozen=True)
class Server:
    """The addresses of an authorisation server; an empty one is not known."""

    issuer: str = ""
    authorization: str = ""
    token: str = ""
    device: str = ""
    names_itself: bool = False
    """Whether each answer to the browser names the issuer (RFC 9207)."""
    secret_in_body: bool = False
    """Whether a client's secret belongs into the body, because the server does not take it in a header."""

    def endpoint(self, name: str) -> str:
        """Return an endpoint; raise ConfigurationFault if it is not known."""
        address: str = getattr(self, name)
        if address:
            return address
        raise ConfigurationFault(
            f"The authorisation server publishes no {_PUBLISHED[name]}.",
            remedy=f"Name it with {OPTIONS[name]}, or use another --grant.",
        )


def explicit(given: Mapping[str, str | None]) -> Server:
    """Return the server whose endpoints options give, by the members of Server."""
    endpoints: dict[str, Any] = {name: checked_address(text, OPTIONS[name]) for name, text in given.items() if text}
    return Server(**endpoints)


def discovered(calls: Calls, base: str, given: Server) -> Server:
    """Return the server at `base`, completed by what options give; raise ConfigurationFault if it publishes nothing."""
    tried = []
    for address in _places(checked_address(base, "oAuthUrl")):
        try:
            found = calls.get(address).members
        except PassingFault:
            raise
        except ConfigurationFault as reason:
            tried.append(str(reason))
            continue
        endpoints = {name: address for name in OPTIONS if (address := getattr(given, name))}
        return replace(_read(calls, found, base), **endpoints)
    if given.token:
        return given
    raise ConfigurationFault(
        f"The authorisation server at {calls.secrets.harmless(base)} does not publish its endpoints. {' '.join(tried)}",
        remedy=f"Name them with {listed(list(OPTIONS.values()))}; or another server with --oauth-url.",
    )


def _places(base: str) -> Iterator[str]:
    """Yield the addresses of the metadata of an issuer (RFC 8414, 3; OpenID Connect Discovery, 4)."""
    parts = urlsplit(base)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    yield f"{origin}/.well-known/oauth-authorization-server{path}"
    yield f"{origin}{path}/.well-known/openid-configuration"


def _read(calls: Calls, found: Mapping[str, Any], base: str) -> Server:
    issuer = found.get("issuer")
    if not isinstance(issuer, str) or issuer.rstrip("/") != base.rstrip("/"):
        raise ConfigurationFault(
            f"The metadata at {base} is that of the issuer {calls.secrets.harmless(issuer)!r}, and must be that of "
            f"{base!r} (RFC 8414, 3.3).",
            remedy="If that issuer is the right one, name it with --oauth-url.",
        )
    endpoints = {name: _endpoint(calls, found, member, issuer) for name, member in _PUBLISHED.items()}
    methods = found.get("code_challenge_methods_supported")
    if isinstance(methods, list) and "S256" not in methods:
        raise ConfigurationFault(
            "The authorisation server publishes that it does not know PKCE with S256, without which no code is safe.",
            remedy="Let the server offer S256 (RFC 7636), or use --token-command.",
        )
    taken = found.get("token_endpoint_auth_methods_supported")
    taken = taken if isinstance(taken, list) else ["client_secret_basic"]
    return Server(
        issuer=issuer,
        **endpoints,
        names_itself=found.get("authorization_response_iss_parameter_supported") is True,
        secret_in_body="client_secret_basic" not in taken and "client_secret_post" in taken,
    )


def _endpoint(calls: Calls, found: Mapping[str, Any], member: str, issuer: str) -> str:
    if found.get(member) is None:
        return ""
    address = checked_address(found[member], member)
    if not same_origin(address, issuer):
        option = next(OPTIONS[name] for name, published in _PUBLISHED.items() if published == member)
        raise ConfigurationFault(
            f"{member} leads to another origin than the authorisation server: {calls.secrets.harmless(address)!r}.",
            remedy=f"If that is right, name it with {option}, with --token-endpoint and without --oauth-url.",
        )
    return address
