"""What is written of a run: exchanges without secrets, and a last look at files before they are published."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from conformance.http.secrets.personal import shows_account
from conformance.http.secrets.redaction import Redactor
from conformance.http.secrets.short_tokens import why_short
from conformance.model.exchange import Exchange, Response

_OF_HTTP: Final = (
    *("age", "connection", "content-encoding", "content-length", "content-type", "date", "expires", "last-modified"),
    *("retry-after", "transfer-encoding"),
)
"""Header fields that hold no personal value, but numbers and moments that rules read."""

_PIECE: Final = 1 << 20
"""Bytes of a file that are read at a time."""


def without_secrets(exchange: Exchange, redactor: Redactor) -> Exchange:
    """Return the exchange as evidence holds it: without secrets in anything that the target or the user wrote.

    The recorded exchange keeps them: judging and further calls need what was really sent. A token may be a word or a
    number that occurs in a conforming document, or part of an identifier. Bodies are redacted as bytes, because
    evidence may hold them as base64; `keep` keeps the large ones.
    """
    text, of_secrets = redactor.text, redactor.of_secrets.text

    def value_of(name: str, value: str) -> str:
        return of_secrets(value) if name.lower() in _OF_HTTP else text(value)

    def sent(name: str, value: str) -> str:
        return redactor.authorization(value) if name.lower() == "authorization" else value_of(name, value)

    intent = exchange.intent
    if intent.types:
        intent = replace(intent, types=[text(each) for each in intent.types])
    request, response = exchange.request, exchange.response
    # The answer that shows the account holds pseudonyms already.
    clean = redactor.of_secrets if shows_account(exchange, response) else redactor
    return replace(
        exchange,
        request=replace(
            request,
            url=text(request.url),
            headers=tuple((text(name), sent(name, value)) for name, value in request.headers),
            body=redactor.raw(request.body),
        ),
        response=response
        and Response(
            status=response.status,
            reason=text(response.reason),
            http_version=response.http_version,
            headers=tuple((text(name), value_of(name, value)) for name, value in response.headers),
            content=clean.content(response.content),
        ),
        error_detail=text(exchange.error_detail),
        raised=text(exchange.raised),
        path=text(exchange.path),
        intent=intent,
    )


def kind_in(path: Path, tokens: Iterable[tuple[str, str]]) -> str:
    """Return the kind of the first form in which a file contains a token; "" if it contains none.

    `tokens` are pairs of label and value. A short one, or one that is a word of the suite's pages, is not looked for.
    """
    sought = [(label, value) for label, value in tokens if not why_short(value)]
    redactor, before = Redactor(sought), b""
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            if kind := redactor.kind_in(before + piece):
                return kind
            # A form may begin in one piece and end in the next.
            before = (before + piece)[-4 * redactor.longest :]
    return ""
