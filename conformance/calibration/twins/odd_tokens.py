"""Twins that let no token with characters outside of RFC 6750 reach the service: clause 5 shows no such token."""

from __future__ import annotations

import re
from dataclasses import replace

from conformance.calibration.twins.common import UNDECIDED
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
add_twin(
    "5.3",
    "odd-tokens-show-a-page",
    "A firewall answers 200 with its own page to a token with a quote or with a letter outside ASCII.",
    dict.fromkeys(("3-deletes-completed", "4.2-completed-request", "8-completed-do-not-count"), UNDECIDED),
    service=_refusing_odd_tokens(Reply(200, b"<h1>The requested URL was rejected</h1>", _PAGE)),
)
add_twin(
    "5.3",
    "odd-tokens-end-the-proxy",
    "A proxy fails at a header with a letter outside ASCII, and the one before it answers 502.",
    service=_refusing_odd_tokens(Reply(502, b"<h1>502 Bad Gateway</h1>", _PAGE)),
)
add_twin(
    "5.3",
    "odd-tokens-have-no-route",
    "A router sends calls with a malformed header to its default service, whose errors have another message.",
    service=_refusing_odd_tokens(Reply.json({"error": "Not Found", "message": "No message available"}, 404)),
)
