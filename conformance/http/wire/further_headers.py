"""The further header fields of one origin, for calls that no session makes."""

from __future__ import annotations

from collections.abc import Iterable

import httpx

from conformance.model.exchange import same_origin


class OfOneOrigin(httpx.BaseTransport):
    """Adds header fields to the calls to one origin, and to no others: their values are secrets."""

    def __init__(self, inner: httpx.BaseTransport, base_url: str, headers: Iterable[tuple[str, str]]) -> None:
        self._inner, self._base_url, self._headers = inner, base_url, tuple(headers)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; raise TransportError."""
        if same_origin(request.url, self._base_url):
            request.headers.update(self._headers)
        return self._inner.handle_request(request)

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()
