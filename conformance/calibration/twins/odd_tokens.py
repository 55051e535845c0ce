"""Twins that let no token with characters outside of RFC 6750 reach the service: clause 5 shows no such token."""

from __future__ import annotations

import re
from dataclasses import replace

from conformance.calibration.variant import add_twin
from conformance.reference.call import NO_ANSWER, Call, Reply
from conformance.reference.service import Service

_OF_RFC_6750 = re.compile(r"[A-Za-z0-9._~+/-]*=*")


def _refusing_odd_tokens(reply: Reply) -> type[Service]:
    """Return a service behind a gateway that gives `reply` to tokens with characters that RFC 6750 does not allow."""

    class Changed(Service):
        async def perform(self, call: Call) -> Reply:
            odd = any(not _OF_RFC_6750.fullmatch(each.partition(" ")[2].strip()) for each in call.authorization)
            return replace(reply, headers={**reply.headers}) if odd else await super().perform(call)

    return Changed


_PAGE = {"content-type": "text/html", "connection": "close"}
add_twin(
    "5.3",
    "odd-tokens-are-malformed-calls",
    "A gateway answers 400 with its own page to a token with other characters than RFC 6750 allows, and hangs up.",
    service=_refusing_odd_tokens(Reply(400, b"<h1>400 Bad Request</h1>", _PAGE)),
)
add_twin(
    "5.3",
    "odd-tokens-are-forbidden",
    "A firewall answers 403 with its own page to a token with a quote or with a letter outside ASCII.",
    service=_refusing_odd_tokens(Reply(403, b"<h1>403 Forbidden</h1>", _PAGE)),
)
add_twin(
    "5.3",
    "odd-tokens-have-no-answer",
    "A firewall closes the connection at a token with a quote or with a letter outside ASCII.",
    service=_refusing_odd_tokens(Reply(NO_ANSWER, b"")),
)
