"""Sends an access token, and has it renewed when it is refused."""

from __future__ import annotations

from collections.abc import Generator

import httpx

from conformance.target import Token
from conformance.traffic.exchange import Exchange, Renewal


class Bearer(httpx.Auth):
    """Sends a token as `Authorization: Bearer` (5.1), under a label that the record keeps instead of its value."""

    def __init__(self, token: Token, label: str) -> None:
        self.token = token
        self.label = label

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response]:
        """Send with the token; once more with a new one when the target refused it and the command gives another.

        What came of that is a fact of the refused exchange, by which whoever judges it tells an expired token.
        """
        request.extensions["credential"] = self.label
        sent = self.token.current()
        request.headers["Authorization"] = f"Bearer {sent}"
        response = yield request
        if response.status_code != 401 or not self.token.renewable:
            return
        refused: Exchange = response.extensions["exchange"]
        refused.facts["renewal"] = Renewal.FAILED
        another = self.token.instead_of(sent)
        if another is None:
            refused.facts["renewal"] = Renewal.SAME_AGAIN
            return
        refused.facts["renewal"] = Renewal.IN_VAIN
        request.headers["Authorization"] = f"Bearer {another}"
        repeated: Exchange = (yield request).extensions["exchange"]
        if repeated.answer is not None and repeated.answer.status == 401:
            repeated.facts["renewal"] = Renewal.IN_VAIN
        elif repeated.answer is not None and repeated.trouble is None and repeated.answer.status != 403:
            refused.facts["renewal"] = Renewal.ACCEPTED
