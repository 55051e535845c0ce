"""Forms of a credential: what no service may take for the token of a user, and what it may or may not (5).

RFC 9110 compares schemes without regard to case, RFC 6750 (2.3) lets a server read the token from the query, and what a
token given twice means is nowhere said.
"""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from itertools import cycle
from typing import Final
from urllib.parse import quote

from conformance.client.account import jwt_claims
from conformance.client.user import UserClient
from conformance.model.identity import USER, Identity

MOST: Final = 11
"""Forms of a bad token."""


def no_tokens(service: UserClient) -> list[Identity]:
    """Return callers with what no service may take for the token of a user, at most MOST."""
    chance = service.session.chance
    token = service.session.credentials[USER.label].token.current()
    basic = base64.b64encode(f"nobody:{chance.getrandbits(64):x}".encode()).decode()
    # In three parts, as what is verified by its signature: who only looks it up finds nothing either.
    made_up = ".".join(f"{chance.getrandbits(80):020x}" for _ in range(3))
    callers = [
        Identity("a made-up token", f"Bearer {made_up}"),
        Identity("a token with characters too many", f"Bearer {_lengthened(token)}"),
        Identity("a token altered in one character", f"Bearer {_altered(token, max(0, len(token) - 8))}"),
        Identity("a token altered in its middle", f"Bearer {_altered(token, _middle(token))}"),
        Identity("a token altered in its first character", f"Bearer {_altered(token, 0)}"),
        Identity("an empty token", "Bearer"),
        Identity("the word null for a token", "Bearer null"),
        Identity("another scheme", f"Basic {basic}"),
    ]
    if len(token) >= _LONG_ENOUGH_TO_CUT:
        callers.append(Identity("a token cut short", f"Bearer {_cut(token)}"))
    if token not in (token.lower(), token.upper()) and not _NUMBER.fullmatch(token):
        # A token in one case only, or of hexadecimal digits, may be a number, which reads the same in the other.
        callers.append(Identity("a token in the other case", f"Bearer {token.swapcase()}"))
    if jwt_claims(token):
        callers.append(Identity("a token without its signature", f"Bearer {_unsigned(token)}"))
    tokens = {f"Bearer {each.token.current()}" for each in service.session.credentials.values()}
    # In one language after another, and in none: errors are stated, not translated.
    languages = cycle([*service.tags(), ""])
    return [replace(each, language=next(languages)) for each in callers if each.authorization not in tokens]


_NUMBER = re.compile(r"[0-9A-Fa-f-]+")
_LONG_ENOUGH_TO_CUT: Final = 3


def _lengthened(token: str) -> str:
    """Return the token with a whole group of base64 behind it: a single character may decode to nothing.

    It goes before the padding, where decoding ends.
    """
    bare = token.rstrip("=")
    return f"{bare}xxxx{token[len(bare) :]}"


def _altered(token: str, place: int) -> str:
    """Return the token with one character changed into another letter, not the same one in the other case.

    The place is away from the end, where a signature may have spare bits.
    """
    return token[:place] + ("A" if token[place] not in "Aa" else "B") + token[place + 1 :]


def _unsigned(token: str) -> str:
    """Return a JWT with the same claims that says of itself that it is not signed (RFC 7519, 6)."""
    header = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
    return f"{header}.{token.split('.')[1]}."


def _middle(token: str) -> int:
    """Return a place in the middle that ends no part of the token: the last character of a part may have spare bits."""
    middle = len(token) // 2
    inside = (place for place in range(middle, len(token) - 1) if token[place : place + 2].isalnum())
    return next(inside, 0)


def _cut(token: str) -> str:
    """Return the token without its last third."""
    return token[: -(len(token) // 3)]


def doubtful_forms(service: UserClient) -> list[Identity]:
    """Return callers with the token in forms of which nothing is stated."""
    token = service.session.credentials[USER.label].token.current()
    return [
        Identity("the token under bearer in lower case", f"bearer {token}"),
        Identity("the token under the scheme Token", f"Token {token}"),
        Identity("the token in two headers", (f"Bearer {token}", f"Bearer {token}")),
        Identity("the token in the query", query=f"access_token={quote(token, safe='')}"),
    ]
