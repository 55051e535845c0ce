"""The cookies that a service set for a user, as a client sends them back."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.http.secrets.personal import SHORTEST_COOKIE, PersonalData
from conformance.model.exchange import Exchange


def cookie_header(exchanges: Iterable[Exchange], credential: str, personal: PersonalData) -> str:
    """Return the Cookie header for the answers to a credential, with the first cookie of each name; "" for none."""
    kept: dict[str, str] = {}
    for exchange in exchanges:
        headers = exchange.response.headers if exchange.response and exchange.request.credential == credential else ()
        for value in (value for name, value in headers if name.lower() == "set-cookie"):
            name, _, content = (part.strip() for part in value.partition(";")[0].partition("="))
            if len(content) >= SHORTEST_COOKIE:
                kept.setdefault(name, content)
    return "; ".join(f"{name}={personal.cookie_to_send(content)}" for name, content in kept.items())
