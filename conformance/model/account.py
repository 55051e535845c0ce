"""The known values of an account: the claims of its token, and the values of a JSON record."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from typing import Any, Final

LONGEST_VALUE: Final = 500
"""Characters of a value of an account that is looked for elsewhere. A longer one is prose."""


def jwt_claims(token: str) -> dict[str, str]:
    """Return the scalar claims of a JWT as text, without verification; nothing for an opaque token."""
    return {name: str(value) for name, value in claims_of(token).items() if isinstance(value, str | int | float)}


def claims_of(token: str) -> dict[str, Any]:
    """Return the claims of a JWT, without verification; nothing for an opaque token."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        payload = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError):
        return {}
    return payload if isinstance(payload, dict) else {}


def scalars(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each string and number in a JSON value; of an array, the first 100."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from scalars(inner, f"{path}/{name}")
    elif isinstance(value, list):
        for index, inner in enumerate(value[:100]):
            yield from scalars(inner, f"{path}/{index}")
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield path or "/", str(value)


def texts(value: Any) -> Iterator[str]:
    """Yield each string and number of a JSON value, and the name of each member."""
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(inner)
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)
