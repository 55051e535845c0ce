"""The forms of a credential: invalid tokens, and forms of the token that the specification does not mention (5)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from typing import Final
from urllib.parse import quote

from conformance.client.user import UserClient
from conformance.model.account import jwt_claims
from conformance.model.error_table import IN_QUERY, NAME_OF_A_METHOD, ODD_BEARER, OTHER_LETTER_CASE
from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.model.variation import OF_CALLS, PLAIN

MOST: Final = 15
"""Forms of an invalid token."""


def no_tokens(service: UserClient) -> list[Identity]:
    """Return identities with invalid credentials: at most MOST, and the real tokens that the tester gives."""
    chance = service.session.chance
    token = service.session.credentials[USER.label].token.current()
    basic = base64.b64encode(f"nobody:{chance.getrandbits(64):x}".encode()).decode()
    # In three parts, like a signed token: a service that only looks it up does not find it either.
    made_up = ".".join(f"{chance.getrandbits(80):020x}" for _ in range(3))
    callers = [
        Identity("a made-up token", f"Bearer {made_up}"),
        Identity("a token with extra characters", f"Bearer {_lengthened(token)}"),
        # With letters of the scheme: a service may strip each of them from the front.
        Identity("a token with characters before it", f"Bearer Bear{token}"),
        Identity("a token altered in one character", f"Bearer {_altered(token, max(0, len(token) - 8))}"),
        # For LIKE of SQL an underscore stands for any character. Only tokens that have one may have another.
        Identity(
            "a token altered in its middle", f"Bearer {_altered(token, _middle(token), '_' if '_' in token else '')}"
        ),
        Identity("a token altered in its first character", f"Bearer {_altered(token, 0)}"),
        Identity("an empty token", "Bearer"),
        Identity("the word null as a token", "Bearer null"),
        # A look-up in a plain object of JavaScript finds what the object inherits.
        Identity(NAME_OF_A_METHOD, "Bearer constructor"),
        Identity("another scheme", f"Basic {basic}"),
    ]
    if len(token) >= _LONG_ENOUGH_TO_CUT:
        callers.append(Identity("a token cut short", f"Bearer {_cut(token)}"))
    if token.swapcase() != token:
        # Jetty takes it for the right token on a connection that has had that one.
        callers.append(Identity(OTHER_LETTER_CASE, f"Bearer {token.swapcase()}", closes=True))
    if jwt_claims(token):
        callers.append(Identity("a token without its signature", f"Bearer {_unsigned(token)}"))
    # One quote, which breaks a look-up in SQL, is no attack. Frameworks read each byte of UTF-8 as a letter.
    callers.append(Identity(ODD_BEARER, f"Bearer {chance.getrandbits(80):020x}'s-{'é'.encode().decode('latin-1')}"))
    # A service may compare paths with the query: a protected path is open with any query then.
    callers.append(Identity(IN_QUERY, query=f"access_token={chance.getrandbits(160):x}"))
    refused = service.session.target.refused
    callers += [Identity(label, f"Bearer {each.current()}") for label, each in refused.items()]
    callers = _that_are_no_tokens(service, callers)
    # In one language after another, and in none: errors are not translated.
    languages, variations = cycle([*service.tags(), ""]), cycle([PLAIN, PLAIN, *OF_CALLS])
    return [replace(each, language=next(languages), variation=next(variations)) for each in callers]


def _that_are_no_tokens(service: UserClient, callers: Sequence[Identity]) -> list[Identity]:
    """Return the identities whose credential is no token of a user, as a short one may be when it is altered.

    Of equal credentials the first one's label counts, whichever of parallel calls is first.
    """
    session = service.session
    tokens = {f"Bearer {each.token.current()}" for each in session.credentials.values()}
    chosen = [each for each in callers if each.authorization not in tokens]
    for each in chosen:
        session.secrets.note_sent(each.label, str(each.authorization))
    return chosen


def altered_tokens_of_another(service: UserClient) -> list[Identity]:
    """Return identities with the token of the other user, altered."""
    token = service.session.credentials[OTHER_USER.label].token.current()
    bad = {
        "the token of the other user with extra characters": _lengthened(token),
        "the token of the other user, altered in one character": _altered(token, max(0, len(token) - 8)),
    }
    callers = [Identity(label, f"Bearer {each}") for label, each in bad.items()]
    return _that_are_no_tokens(service, callers)


_LONG_ENOUGH_TO_CUT: Final = 3


def _lengthened(token: str) -> str:
    """Return the token with another group of base64 at its end: a single character may decode to nothing.

    The group precedes the padding, where decoding ends.
    """
    bare = token.rstrip("=")
    return f"{bare}xxxx{token[len(bare) :]}"


def _altered(token: str, place: int, other: str = "") -> str:
    """Return the token with one character changed, into `other` or into a letter, not the same one in the other case.

    The letter is one of hexadecimal digits, and a capital only where the token has some. The place is not the end,
    where a signature may have spare bits.
    """
    letters = "ab" if token == token.lower() else "AB"
    other = other or letters[token[place].lower() == "a"]
    return token[:place] + other + token[place + 1 :]


def _unsigned(token: str) -> str:
    """Return a JWT with the same claims that declares itself unsigned (RFC 7519, 6)."""
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


TOKEN_IN_QUERY: Final = "the token in the query"  # noqa: S105 - a label
"""The label of the user's token in a place that the specification does not mention."""


def doubtful_forms(service: UserClient) -> list[Identity]:
    """Return identities with the token in forms that the specification does not mention."""
    token = service.session.credentials[USER.label].token.current()
    return [
        Identity("the token with the scheme bearer in lower case", f"bearer {token}", closes=True),
        Identity("the token with the scheme Token", f"Token {token}"),
        Identity("the token in two headers", (f"Bearer {token}", f"Bearer {token}")),
        Identity(TOKEN_IN_QUERY, query=f"access_token={quote(token, safe='')}"),
    ]
