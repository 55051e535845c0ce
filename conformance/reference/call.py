"""Requests, replies and refusals, independent of the framework."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from conformance.reference.config import User

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"

NO_ANSWER = 444
"""The status of a reply that is none: the connection is closed (as in nginx). Only the in-process transport knows it.
"""


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


class ErrorCondition(StrEnum):
    """The reason for refusing a call."""

    LIMIT = "limit"
    DATA_TYPES = "data-types"
    LANGUAGE = "language"
    UNAUTHORIZED = "unauthorized"
    NO_REQUEST = "no-request"
    NO_PATH = "no-path"
    METHOD = "method"
    TOO_LARGE = "too-large"


@dataclass(frozen=True)
class Problem:
    """Status and error object of one condition."""

    status: int
    error: str
    message: str


PROBLEMS = {
    ErrorCondition.LIMIT: Problem(
        400, "MaximumAmountOfRequestsReached", "The maximum amount of requests has been reached."
    ),
    ErrorCondition.DATA_TYPES: Problem(
        400,
        "InvalidDataTypes",
        "The data types that were specified do not match the available datatypes for this organisation.",
    ),
    ErrorCondition.LANGUAGE: Problem(
        400, "LanguageNotSupported", "The language you are requesting is not supported by this organisation"
    ),
    ErrorCondition.UNAUTHORIZED: Problem(
        401,
        "Unauthorized",
        "You are not authorized. Generate authentication tokens via OAuth to access this resource.",
    ),
    ErrorCondition.NO_REQUEST: Problem(404, "Not Found", "Could not find a data request with this id."),
    ErrorCondition.NO_PATH: Problem(404, "Not Found", "This path does not exist."),
    ErrorCondition.METHOD: Problem(405, "Method Not Allowed", "This method is not offered here."),
    ErrorCondition.TOO_LARGE: Problem(413, "Content Too Large", "The body is larger than this service reads."),
}


class RefusedError(Exception):
    """A refusal of the call with the error of `condition`."""

    def __init__(self, condition: ErrorCondition) -> None:
        """Refuse for `condition`."""
        super().__init__(condition)
        self.condition = condition


@dataclass
class Call:
    """One call of an operation. `user` is known after authentication, `condition` once the call is refused."""

    operation: Action
    authorization: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    path: str = ""
    request_id: str = ""
    body: bytes = b""
    first_piece: bytes = b""
    """The part of the body that arrived first."""
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
