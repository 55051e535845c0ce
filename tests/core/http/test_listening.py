from __future__ import annotations

import socket
import sys

import pytest

from conformance.http.wire.listening import listen_alone


class Listener:
    """A socket that remembers its options."""

    def __init__(self) -> None:
        self.options: list[tuple[int, int, int]] = []

    def setsockopt(self, level: int, option: int, value: int) -> None:
        self.options.append((level, option, value))


@pytest.mark.parametrize(
    ("platform", "option"), [("linux", "SO_REUSEADDR"), ("darwin", "SO_REUSEADDR"), ("win32", "SO_EXCLUSIVEADDRUSE")]
)
def test_no_two_processes_listen_on_one_port(monkeypatch: pytest.MonkeyPatch, platform: str, option: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", -5, raising=False)  # Windows has it alone
    listener = Listener()
    listen_alone(listener)  # type: ignore[arg-type]

    assert listener.options == [(socket.SOL_SOCKET, getattr(socket, option), 1)]


def test_a_taken_port_is_refused() -> None:
    with socket.socket() as first, socket.socket() as second:
        for each in (first, second):
            listen_alone(each)
        first.bind(("127.0.0.1", 0))
        first.listen()
        with pytest.raises(OSError, match=r"in use|access"):
            second.bind(first.getsockname())
