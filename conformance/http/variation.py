"""Writes a request in one of the variations of real clients."""

from __future__ import annotations

import httpx

from conformance.model.identity import PLAIN, Variation


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
