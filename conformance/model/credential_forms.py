"""The forms of a credential that is none, made of the token of a user (5).

A reproduction script holds the text of this file. So it needs Python 3.9 and its standard library, and nothing else.
"""

from __future__ import annotations

import base64
from collections.abc import Callable

OTHER_LETTER_CASE = "a token with upper and lower case swapped"
NAME_OF_A_METHOD = "the name of a method as a token"
"""A look-up in a plain object of JavaScript finds what the object inherits."""
ODD_BEARER = "a made-up token with a quote and an accented letter"
"""One quote, which breaks a look-up in SQL, is no attack."""
CUT_SHORT = "a token cut short"
WITHOUT_SIGNATURE = "a token without its signature"
LOWER_CASE_SCHEME = "a made-up token with the scheme bearer in lower case"
WITH_EXTRA_CHARACTERS = "a token with extra characters"
ALTERED = "a token altered in one character"


def _made_up(digits: str) -> str:
    """Return a token in three parts, like a signed one: a service that only looks it up does not find it either."""
    return f"{digits[:20]}.{digits[20:40]}.{digits[40:60]}"


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
    return token[:place] + (other or letters[token[place : place + 1].lower() == "a"]) + token[place + 1 :]


def _middle(token: str) -> int:
    """Return a place in the middle that ends no part of the token: the last character of a part may have spare bits."""
    inside = (place for place in range(len(token) // 2, len(token) - 1) if token[place : place + 2].isalnum())
    return next(inside, 0)


def _unsigned(token: str) -> str:
    """Return a JWT with the same claims that declares itself unsigned (RFC 7519, 6)."""
    header = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
    return f"{header}.{(token + '.').split('.')[1]}."


FORMS: dict[str, Callable[[str, str], str]] = {
    "a made-up token": lambda _, digits: f"Bearer {_made_up(digits)}",
    # As long as a token with a signature: a column or a cache of at most 255 characters does not take it.
    LOWER_CASE_SCHEME: lambda _, digits: f"bearer {_made_up(digits) + digits[40:] * 12}",
    WITH_EXTRA_CHARACTERS: lambda token, _: f"Bearer {_lengthened(token)}",
    # With letters of the scheme: a service may strip each of them from the front.
    "a token with characters before it": lambda token, _: f"Bearer Bear{token}",
    ALTERED: lambda token, _: f"Bearer {_altered(token, max(0, len(token) - 8))}",
    # For LIKE of SQL an underscore stands for any character. Only tokens that have one may have another.
    "a token altered in its middle": lambda token, _: (
        f"Bearer {_altered(token, _middle(token), '_' if '_' in token else '')}"
    ),
    "a token altered in its first character": lambda token, _: f"Bearer {_altered(token, 0)}",
    "an empty token": lambda *_: "Bearer",
    "the word null as a token": lambda *_: "Bearer null",
    NAME_OF_A_METHOD: lambda *_: "Bearer constructor",
    "another scheme": lambda _, digits: f"Basic {base64.b64encode(f'nobody:{digits[:16]}'.encode()).decode()}",
    CUT_SHORT: lambda token, _: f"Bearer {token[: len(token) - len(token) // 3]}",
    OTHER_LETTER_CASE: lambda token, _: f"Bearer {token.swapcase()}",
    WITHOUT_SIGNATURE: lambda token, _: f"Bearer {_unsigned(token)}",
    ODD_BEARER: lambda _, digits: f"Bearer {digits[:20]}'s-\u00e9",
}
"""The header Authorization of each form, made of a token and of 60 hexadecimal digits that are no one's token."""
