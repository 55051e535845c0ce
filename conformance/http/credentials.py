"""Access tokens: sent with a call, once more with a newer one when refused."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from conformance.model.exchange import Exchange, Superseded
from conformance.model.target import Token


class Bearer:
    """Sends a token as `Authorization: Bearer` (5.1)."""

    def __init__(self, token: Token) -> None:
        self.token = token

    def send(self, request: httpx.Request, put: Callable[[httpx.Request], Exchange]) -> Exchange:
        """Send with the token; once more with a new one if the target refused it and the command gives another.

        If the target accepts the new token, the refused exchange is superseded: its token had expired.
        """
        sent = self.token.current()
        request.headers["Authorization"] = f"Bearer {sent}"
        exchange = put(request)
        another = self.token.instead_of(sent) if exchange.status == 401 else None
        if another is None:
            return exchange
        request.headers["Authorization"] = f"Bearer {another}"
        request.extensions["repeats"] = exchange.id
        repeated = put(request)
        if repeated.counts and repeated.status not in (401, 403):
            exchange.superseded = Superseded.EXPIRED
        return repeated
