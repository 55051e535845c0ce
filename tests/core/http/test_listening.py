from __future__ import annotations

import socket

import pytest

from conformance.http.wire.listening import listen_alone


def test_a_taken_port_is_refused() -> None:
    with socket.socket() as first, socket.socket() as second:
        for each in (first, second):
            listen_alone(each)
        first.bind(("127.0.0.1", 0))
        first.listen()
        with pytest.raises(OSError, match=r"in use|access"):
            second.bind(first.getsockname())
