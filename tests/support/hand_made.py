"""Exchanges and tokens made by hand, and transports that answer as they are told."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import httpx

from conformance.http.clock import MACHINE
from conformance.http.session import Session
from conformance.model.error_table import Condition
from conformance.model.exchange import ErrorKind, Exchange, Intent, Operation, Request, Response, TransportError
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


TYPES = [data_type("orders"), data_type("account")]


def data_request(**changes: Any) -> dict[str, Any]:
    """Return a whole data request in progress, with `changes`."""
    return {
        "requestId": ONE,
        "createdAt": "2026-01-31T12:00:00Z",
        "isCompleted": False,
        "dataRequested": ["orders"],
        **changes,
    }


def error(row: Condition, **changes: Any) -> dict[str, Any]:
    """Return the error object of a row of the table, with `changes`."""
    return {"error": row.error, "message": row.message, **changes}


def jwt(**claims: Any) -> str:
    """Return a JSON Web Token with these claims and a signature that is none."""
    parts = (json.dumps(part).encode() for part in ({"alg": "none"}, claims))
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), "c2lnbmF0dXJl"])


_METHODS = {Operation.CREATE: "POST", Operation.DELETE: "DELETE"}
_PATHS = {
    Operation.CREATE: "/requests",
    Operation.SETTINGS: "/settings",
    Operation.DATA: "/data",
    Operation.DATA_ME: "/data/me",
}


_NOT_MEANT = {"beside", "redirected_to", "redirected_from", "superseded"}


def exchange(
    operation: Operation,
    status: int = 200,
    answer: Any = b"",
    *,
    number: int = 1,
    credential: str = "user",
    label: str | None = "application/json",
    headers: Iterable[tuple[str, str]] = (),
    request_id: str = ONE,
    trouble: ErrorKind | None = None,
    sent: bytes = b"",
    asked: Iterable[tuple[str, str]] = (),
    **meant: Any,
) -> Exchange:
    """Return an exchange that was answered with `answer`, which is sent as JSON unless it is text or bytes."""
    path = _PATHS.get(operation, f"/requests/{request_id}")
    if isinstance(answer, str):
        answer = answer.encode()
    content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    labelled = [("Content-Type", label)] if label is not None else []
    return Exchange(
        id=f"e{number}",
        check="a check",
        operation=operation,
        started=datetime(2026, 1, 31, 12, tzinfo=UTC),
        request=Request(_METHODS.get(operation, "GET"), BASE + path, tuple(asked), sent, credential),
        response=Response(status, "", "HTTP/1.1", (*labelled, *headers), content),
        error=trouble,
        path=path,
        **{name: meant.pop(name) for name in _NOT_MEANT & meant.keys()},
        intent=Intent(**meant),
    )


def deletion(status: int = 200, answer: Any = b"OK", label: str | None = "text/plain", **more: Any) -> Exchange:
    """Return the deletion of a request that exists, as it should be answered unless told otherwise."""
    return exchange(Operation.DELETE, status, answer, label=label, **{"request": "existing", **more})


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


def json_answer(status: int, body: Any, **headers: str) -> Callable[[], httpx.Response]:
    """Return what makes the same answer again and again; underscores in names of headers stand for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda: httpx.Response(status, json=body, headers=named)


def created(request_id: str = ONE) -> Callable[[], httpx.Response]:
    """Return what makes the answer to a creation."""
    return json_answer(200, data_request(requestId=request_id))


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
