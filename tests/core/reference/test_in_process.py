"""The transport that calls an application in its own process."""

from __future__ import annotations

import httpx
import pytest
from starlette.responses import Response

from conformance.model.exchange import ErrorKind, TransportError
from conformance.reference.in_process import InProcessTransport


def test_a_body_that_is_not_in_its_coding_fails_as_it_does_on_a_network() -> None:
    labelled = Response(b"plain", headers={"Content-Encoding": "gzip"})

    with (
        httpx.Client(transport=InProcessTransport(labelled)) as client,
        pytest.raises(TransportError) as caught,
    ):
        client.get("http://service.test/")

    assert caught.value.kind is ErrorKind.CODING
