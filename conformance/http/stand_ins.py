"""Stand-ins for tokens: values of the same form, with which a replay makes the same calls as the run."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import math
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import Any

_HEXADECIMAL = "abcdef"

_MOMENTS = ("exp", "iat", "nbf", "auth_time")
"""Claims of a JWT that are moments: when it expires, above all."""


def stand_in(token: str, key: bytes) -> str:
    """Return a text of the same form as `token`, which reveals nothing else about it.

    Each letter stands for a letter of the same case, hexadecimal or not, and each digit for a digit. Of a JWT the
    header and the moments among the claims stay.
    """
    parts = token.split(".")
    claims = _claims(parts[1]) if len(parts) == 3 else None
    if claims is None:
        return _alike(token, key)
    payload = json.dumps(_replaced(claims, key), separators=(",", ":")).encode()
    return ".".join([parts[0], base64.urlsafe_b64encode(payload).decode().rstrip("="), _alike(parts[2], key)])


def _claims(part: str) -> dict[str, Any] | None:
    try:
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (binascii.Error, ValueError):
        return None
    return claims if isinstance(claims, dict) else None


def _replaced(value: Any, key: bytes) -> Any:
    if isinstance(value, dict):
        return {name: inner if name in _MOMENTS else _replaced(inner, key) for name, inner in value.items()}
    if isinstance(value, list):
        return [_replaced(inner, key) for inner in value]
    if isinstance(value, str):
        return _alike(value, key)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return int(_alike(str(abs(int(value))), key)) if is_number else value


def _alike(text: str, key: bytes) -> str:
    stream = _stream(hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256"), len(text))
    return "".join(_of_the_same_class(each, byte) for each, byte in zip(text, stream, strict=True))


def _stream(seed: bytes, length: int) -> bytes:
    return hashlib.shake_256(seed).digest(length)


def _of_the_same_class(character: str, byte: int) -> str:
    for letters in (
        digits,
        _HEXADECIMAL,
        _HEXADECIMAL.upper(),
        ascii_lowercase[6:],
        ascii_uppercase[6:],
    ):
        if character in letters:
            return letters[byte % len(letters)]
    return character if character.isascii() else ascii_letters[byte % len(ascii_letters)]
