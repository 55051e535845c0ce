"""Sends one request of a session with its credential."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import httpx

from conformance.http import concurrency
from conformance.http.run_time import TIME_IS_UP
from conformance.http.variation import vary_headers
from conformance.model.errors import NotDecided
from conformance.model.exchange import ErrorKind, Exchange, TransportError
from conformance.model.verdict import Blame

if TYPE_CHECKING:
    from conformance.http.session import Session


def send(session: Session, request: httpx.Request, credential: str, authorization: str | Sequence[str]) -> Exchange:
    """Send a request and return its last exchange; raise NotDecided if nothing was sent or a budget is spent."""
    request.extensions["credential"] = credential
    _authorize(session, request, credential, authorization)
    # Without httpx.Client, which would spend an eighth of the run on cookies.
    bearer = session.credentials.get(credential)
    exchanges: list[Exchange] = []
    request.extensions["exchanges"] = exchanges

    def put(one: httpx.Request) -> httpx.Response:
        vary_headers(one)  # with the token, which is added last
        return session.recording_transport.handle_request(one)

    try:
        # A call of a race does not wait until fewer calls are in progress.
        with nullcontext() if concurrency.in_a_race() else session.at_once:
            if bearer is not None:
                bearer.send(request, put)
            else:
                put(request)
    except TransportError as error:
        if not exchanges:
            raise NotDecided(f"{request.method} {request.url} was not sent: {error.detail}.") from None
    exchange = exchanges[-1]
    if exchange.error_detail == TIME_IS_UP:
        raise session.clock.undecided()
    if exchange.error is ErrorKind.BUDGET:
        creations = "creations" in exchange.error_detail
        raise NotDecided(
            f"{exchange.error_detail}; this was not tested.",
            blame=Blame.CONFIGURATION,
            remedy=session.to_create_more() if creations else "Raise --max-requests, and run again.",
        )
    return exchange


def _authorize(session: Session, request: httpx.Request, credential: str, authorization: str | Sequence[str]) -> None:
    """Add the raw Authorization headers of a description, a byte a letter, and remember them as secrets."""
    raw = (authorization,) if isinstance(authorization, str) else authorization
    for each in raw:
        session.secrets.note_sent(credential, each)
    if raw:
        given = ((b"Authorization", each.encode("latin-1")) for each in raw)
        request.headers = httpx.Headers([*request.headers.raw, *given])
