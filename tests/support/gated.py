"""The reference service behind a gate that wants a key beside the access token, or Basic authentication."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from cli_services import OTHER_TOKEN, TOKEN, listening

from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service

KEY = "k3y-of/the+gateway=="
PAIR = "staging:p4ss-of/the?gate"
BASIC = f"Basic {base64.b64encode(PAIR.encode()).decode()}"


@dataclass
class Gate:
    """A gate before the reference service that wants a header field, and lets the answers repeat its value.

    As nginx, Apache and Traefik do by default, it passes on to the service what it read.
    """

    app: Any
    wanted: tuple[str, str] = ("x-api-key", KEY)
    base_url: str = ""
    refused: list[str] = field(default_factory=list)
    """The method of each call without the field."""

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        name, value = (each.encode() for each in self.wanted)
        if dict(scope["headers"]).get(name) != value:
            self.refused.append(scope["method"])
            status, headers = 403, [(b"content-type", b"text/html")]
            if name == b"authorization":
                status, headers = 401, [*headers, (b"www-authenticate", b'Basic realm="staging"')]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": b"{}"})
            return

        async def repeating(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = message | {"headers": [*message["headers"], (b"x-debug", value)]}
            await send(message)

        await self.app(scope, receive, repeating)


@contextmanager
def gated(service: type[Service] = Service, wanted: tuple[str, str] = ("x-api-key", KEY)) -> Iterator[Gate]:
    settings = ReferenceConfig(users=(User("alice.example", TOKEN), User("bob.example", OTHER_TOKEN)))
    gate = Gate(build_app(settings, service), wanted)
    with listening(gate) as origin:
        gate.base_url = origin + settings.path_prefix
        yield gate
