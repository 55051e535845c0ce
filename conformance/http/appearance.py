"""How the requests of a run look: they name the suite, or those of an anonymous run look like a common client's.

A request may be written in one of the variations of real clients.
"""

from __future__ import annotations

import random
import re
from string import ascii_lowercase
from typing import Final

import httpx

from conformance import NAME, __version__
from conformance.model.identity import PLAIN, Variation

NAMED: Final = httpx.Headers(
    {
        "Connection": "keep-alive",
        "User-Agent": f"{NAME}/{__version__}",
        "Accept": "application/json, text/plain, */*;q=0.1",
        "Accept-Encoding": "identity",
    }
)
"""The default header of every call."""

COMMON: Final = httpx.Headers(
    {
        "User-Agent": "python-requests/2.32.3",
        "Accept-Encoding": "gzip, deflate",
        "Accept": "*/*",
        "Connection": "keep-alive",
    }
)
"""The default header of an anonymous run: that of requests, in its order.

It is the commonest HTTP client in Python. A browser would be given away by what its requests lack, such as Sec-Fetch-*,
and by a TLS handshake that is not Python's."""


def header_of(nonce: str, *, anonymous: bool) -> httpx.Headers:
    """Return the header of each call of a run. The nonce of a regulator, if there is one, is in its User-Agent."""
    header = (COMMON if anonymous else NAMED).copy()
    if nonce:
        header["User-Agent"] += f" (nonce {nonce})"
    return header


def made_up(kind: str, chance: random.Random, *, anonymous: bool) -> str:
    """Return a word that no service knows. It names the `kind` of thing that is asked for, unless it is `anonymous`."""
    if anonymous:
        return re.sub("[a-z]{2,}", lambda _: "".join(chance.choices(ascii_lowercase, k=chance.randint(7, 12))), kind)
    return f"no-such-{kind}-{chance.getrandbits(48):012x}"


def vary(request: httpx.Request, variation: Variation, *, anonymous: bool) -> None:
    """Write `request` in a variation; the headers of an anonymous run stay those of one client."""
    if variation is PLAIN:
        return
    if not anonymous:
        # A client must not expect 100 (Continue) for a request without content (RFC 9110, 10.1.1).
        request.headers.update([each for each in variation.headers if request.content or each[0] != "Expect"])
        request.extensions["lower_case"] = variation.lower_case
    if request.content:
        request.extensions["pieces"] = variation.pieces
        if variation.chunked:
            del request.headers["Content-Length"]
            request.headers["Transfer-Encoding"] = "chunked"


def vary_headers(request: httpx.Request) -> None:
    """Write the header names of a request whose headers are complete in lower case and in another order, if asked."""
    if request.extensions.get("lower_case"):
        host, *fields = request.headers.raw
        request.headers = httpx.Headers([(name.lower(), value) for name, value in (host, *reversed(fields))])
