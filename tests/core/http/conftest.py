from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from raw_server import Client, RawServer, Script, Serve

from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.transport import BoundedTransport
from conformance.model.exchange import TransportError


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server with a script; it stops with the test."""
    with ExitStack() as stack:
        yield lambda script, context=None: stack.enter_context(RawServer(script, context))


@pytest.fixture
def client() -> Iterator[Client]:
    """Make an httpx client over a bounded transport; `verify` is that of the transport, the rest are bounds."""
    with ExitStack() as stack:

        def make(verify: ssl.SSLContext | None = None, **bounds: Any) -> httpx.Client:
            transport = BoundedTransport(bounds=Limits(**bounds), verify=verify)
            return stack.enter_context(httpx.Client(transport=transport))

        yield make


@pytest.fixture
def trouble_of(serve: Serve, client: Client) -> Callable[..., TransportError]:
    """Ask a server with a script once and return the error that it comes to."""

    def ask(script: Script, method: str = "GET", content: bytes | None = None, **bounds: Any) -> TransportError:
        with pytest.raises(TransportError) as caught:
            client(**bounds).request(method, serve(script).url, content=content)
        return caught.value

    return ask
