"""Requests and replies, independent of the framework."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from conformance.reference.config import User
from conformance.reference.errors import ErrorCondition

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"


class Action(StrEnum):
    """The operations, by the values of `conformance.model.exchange.Operation`.

    That module loads the whole client side; the service must start quickly in its own process.
    """

    CREATE = "createRequest"
    READ = "readRequest"
    DELETE = "deleteRequest"
    SETTINGS = "getSettings"
    DATA = "getData"
    DATA_ME = "getDataMe"
    OTHER = "other"


@dataclass
class Call:
    """One call of an operation. `user` is known after authentication, `condition` once the call is refused."""

    operation: Action
    authorization: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    request_id: str = ""
    body: bytes = b""
    user: User | None = None
    condition: ErrorCondition | None = None

    @property
    def owner(self) -> str:
        """The name of the user, "" where there is none."""
        return self.user.name if self.user else ""


@dataclass
class Reply:
    """One answer; the names of `headers` are in lower case."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def json(cls, document: Any, status: int = 200) -> Reply:
        """Return an answer that carries `document`."""
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        return cls(status, text.encode("utf-8", "surrogatepass"), {"content-type": JSON})

    @property
    def document(self) -> Any:
        """The body as JSON; raise ValueError if it is not JSON."""
        return json.loads(self.body)
