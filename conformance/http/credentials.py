"""Sends an access token, and has it renewed when it is refused."""

from __future__ import annotations

from collections.abc import Generator

import httpx

from conformance.model.exchange import Exchange
from conformance.model.target import Token


class Bearer(httpx.Auth):
    """Sends a token as `Authorization: Bearer` (5.1), under a label that the record keeps instead of its value."""

    def __init__(self, token: Token, label: str) -> None:
        self.token = token
        self.label = label

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response]:
        """Send with the token; once more with a new one when the target refused it and the command gives another.

        Where that is accepted, the refused exchange gets the fact "renewal": its token had expired.
        """
        request.extensions["credential"] = self.label
        sent = self.token.current()
        request.headers["Authorization"] = f"Bearer {sent}"
        response = yield request
        another = self.token.instead_of(sent) if response.status_code == 401 else None
        if another is None:
            return
        request.headers["Authorization"] = f"Bearer {another}"
        repeated: Exchange = (yield request).extensions["exchange"]
        if repeated.response is not None and repeated.error is None and repeated.response.status not in (401, 403):
            response.extensions["exchange"].renewed = True
