"""The reference service behind a gate that wants a key beside the access token."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from cli_services import OTHER_TOKEN, TOKEN, listening

from conformance.calibration.faults import FAULTS
from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User

KEY = "k3y-of/the+gateway=="


@dataclass
class Gate:
    """A gate before the reference service that wants X-Api-Key, which the service then repeats in a header field."""

    app: Any
    base_url: str = ""
    refused: list[str] = field(default_factory=list)
    """The method of each call without the key."""

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        key = dict(scope["headers"]).get(b"x-api-key")
        if key != KEY.encode():
            self.refused.append(scope["method"])
            await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/html")]})
            await send({"type": "http.response.body", "body": b"{}"})
            return

        async def repeating(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = message | {"headers": [*message["headers"], (b"x-debug", key)]}
            await send(message)

        await self.app(scope, receive, repeating)


@contextmanager
def gated(fault: str = "") -> Iterator[Gate]:
    settings = ReferenceConfig(users=(User("alice.example", TOKEN), User("bob.example", OTHER_TOKEN)))
    gate = Gate(build_app(settings, FAULTS[fault].service) if fault else build_app(settings))
    with listening(gate) as origin:
        gate.base_url = origin + settings.path_prefix
        yield gate
