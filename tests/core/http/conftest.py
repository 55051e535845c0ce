from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from raw_server import Client, Script, Serve, client, serve

from conformance.model.exchange import TransportError

__all__ = ["client", "serve", "trouble_of"]


@pytest.fixture
def trouble_of(serve: Serve, client: Client) -> Callable[..., TransportError]:
    """Ask a server with a script once and return the error that it comes to."""

    def ask(script: Script, method: str = "GET", content: bytes | None = None, **bounds: Any) -> TransportError:
        with pytest.raises(TransportError) as caught:
            client(**bounds).request(method, serve(script).url, content=content)
        return caught.value

    return ask
