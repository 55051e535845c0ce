"""Documents and tokens made by hand, and transports that answer as they are told."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import httpx

from conformance.http.clock import MACHINE
from conformance.http.session import Session
from conformance.model.exchange import TransportError
from conformance.model.target import Budget, Target, Token

BASE = "http://service.test/api"
ONE = "8b1d8f0e-3c50-4f0c-9d34-5b2a7f6d1c11"
TWO = "41f5b7c6-08a4-4a55-8f3d-0c9f0f1f2a22"
THREE = "c9a646d3-9c61-4cd7-b7ac-0f6f6e7a3b33"
TOKEN = "Alice-0123456789abcdefghij"
OTHER_TOKEN = "Bob-9876543210zyxwvutsrqpo"

SETTINGS: dict[str, Any] = {
    "forgotPasswordLink": "https://shop.example/forgotten",
    "legalEntity": "Example B.V.",
    "maxNumberOfRequests": 3,
    "oAuthClientId": "client",
    "oAuthUrl": "https://auth.shop.example/",
    "organisationName": "Example",
    "privacyPolicy": "https://shop.example/privacy",
    "privacyContactEmail": "privacy@shop.example",
    "supportedLanaguages": ["en"],
    "termsOfService": "https://shop.example/terms",
}


def data_type(name: str) -> dict[str, Any]:
    """Return a whole data type."""
    return {
        "type": name,
        "description": "Something",
        "context": "https://schema.org/Person",
        "processingGround": "consent",
        "isErasable": True,
        "isRectifiable": False,
    }


def jwt(**claims: Any) -> str:
    """Return a JSON Web Token with these claims and a signature that is none."""
    parts = (json.dumps(part).encode() for part in ({"alg": "none"}, claims))
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), "c2lnbmF0dXJl"])


Told = httpx.Response | TransportError
Answering = Callable[[httpx.Request], Told]


class Scripted(httpx.BaseTransport):
    """Answers each request with the next of a list, the last for ever, or as a function says; keeps what was sent."""

    def __init__(self, *answers: Told | Callable[[], Told], by: Answering | None = None) -> None:
        self.sent: list[httpx.Request] = []
        self.close_after_each = False
        self._answers = list(answers)
        self._by = by

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.sent.append(httpx.Request(request.method, request.url, headers=request.headers, content=request.content))
        told = self._by(request) if self._by else self._next()
        if isinstance(told, TransportError):
            raise told
        return told

    def _next(self) -> Told:
        told = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return told if isinstance(told, TransportError | httpx.Response) else told()

    @property
    def methods(self) -> list[str]:
        return [request.method for request in self.sent]

    @property
    def paths(self) -> list[str]:
        return [request.url.raw_path.decode() for request in self.sent]


def json_answer(status: int, body: Any = None, **headers: str) -> Callable[[], httpx.Response]:
    """Return what makes the same answer again and again; underscores in names of headers stand for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda: httpx.Response(status, json=body, headers=named)


def created(request_id: str = ONE) -> Callable[[], httpx.Response]:
    """Return what makes the answer to a creation."""
    document = {"createdAt": "2026-01-31T12:00:00Z", "isCompleted": False, "dataRequested": ["orders"]}
    return json_answer(200, {"requestId": request_id, **document})


class Waits(list[float]):
    """A clock that does not wait, and notes how long it was to."""

    now = staticmethod(MACHINE.now)
    seconds = staticmethod(MACHINE.seconds)

    def sleep(self, seconds: float, /, stopped: Any = None) -> None:  # noqa: ARG002
        self.append(seconds)


def session_with(
    transport: httpx.BaseTransport,
    *,
    budget: Budget | None = None,
    token: Token | None = None,
    **more: Any,
) -> Session:
    """Return a session of two users over `transport`."""
    user, other = token or Token(TOKEN), Token(OTHER_TOKEN)
    target = Target(base_url=BASE, user=user, other=other, budget=budget or Budget())
    return Session(target, transport=transport, **{"clock": Waits(), **more})
