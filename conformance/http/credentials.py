"""Access tokens: sent with a call, once more with a newer one when refused."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from conformance.model.exchange import Exchange
from conformance.model.target import Token


class Bearer:
    """Sends a token as `Authorization: Bearer` (5.1)."""

    def __init__(self, token: Token) -> None:
        self.token = token

    def send(self, request: httpx.Request, put: Callable[[httpx.Request], httpx.Response]) -> None:
        """Send with the token; once more with a new one if the target refused it and the command gives another.

        If the target accepts the new token, the refused exchange is marked as a renewal: its token had expired.
        """
        sent = self.token.current()
        request.headers["Authorization"] = f"Bearer {sent}"
        response = put(request)
        another = self.another(sent) if response.status_code == 401 else None
        if another is None:
            return
        request.headers["Authorization"] = f"Bearer {another}"
        request.extensions["repeats"] = response.extensions["exchange"].id
        repeated: Exchange = put(request).extensions["exchange"]
        if repeated.response is not None and repeated.error is None and repeated.response.status not in (401, 403):
            response.extensions["exchange"].renewed = True

    def another(self, refused: str) -> str | None:
        """Return a newer token than the `refused` one, or None if there is none."""
        return self.token.instead_of(refused)
