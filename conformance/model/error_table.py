"""The table of errors (7): each condition with its status, error and message."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

import msgspec

from conformance.model.credential_forms import LOWER_CASE_SCHEME, NAME_OF_A_METHOD, ODD_BEARER
from conformance.model.exchange import Operation


@dataclass(frozen=True, slots=True)
class Condition:
    """One row of the table; its requirements are `7-<slug>`, `7-<slug>-error` and `7-<slug>-message`."""

    slug: str
    status: int
    error: str
    message: str
    operations: tuple[Operation, ...] = ()
    """The operations that answer with it."""


_TABLE: Final = tomllib.loads((files("conformance.model") / "error_table.toml").read_text("utf-8"))

CONDITIONS: Final = msgspec.convert(_TABLE["row"], tuple[Condition, ...])

LIMIT_REACHED, INVALID_DATA_TYPES, LANGUAGE_NOT_SUPPORTED, UNAUTHORIZED, NOT_FOUND = CONDITIONS

KNOWN_CREDENTIALS: Final = {"user": "DRSI_TOKEN", "other user": "DRSI_OTHER_TOKEN"}
"""The labels of the tokens in the configuration, each with the variable that gives the token."""

REFUSED_CREDENTIALS: Final = {
    "an expired token": "DRSI_EXPIRED_TOKEN",
    "a token of another service": "DRSI_FOREIGN_TOKEN",
}
"""The labels of the real tokens that the service must not accept, each with the variable that gives the token."""

ON_DATA_REQUESTS = (Operation.CREATE, Operation.READ, Operation.DELETE)


MORE_RIGHTS: Final = "Give a token that may create, read and delete data requests, and run again."


IN_QUERY: Final = "a made-up token in the query"
TOKEN_IN_QUERY: Final = "the token in the query"  # noqa: S105 - a label
SESSION_COOKIE: Final = "the session cookie in place of a token"
"""The labels of credentials in places that the specification does not mention."""

MADE_UP: Final = frozenset(
    {
        *("a made-up token", LOWER_CASE_SCHEME, "an empty token"),
        *("the word null as a token", NAME_OF_A_METHOD, "another scheme", ODD_BEARER, IN_QUERY),
    }
)
"""The labels of credentials that hold nothing of a real token: what was sent is no secret."""

REFUSED_IN_OWN_WORDS: Final = frozenset({ODD_BEARER, IN_QUERY})
"""The labels of credentials with which a server or gateway may refuse a call before it looks for a token."""
