"""What the target says before the body: watched byte by byte, so that its size and shape are bounded as they arrive."""

from __future__ import annotations

import re

from conformance.wire.bounds import Bounds, amount
from conformance.wire.trouble import NoAnswer, Trouble

_START = b"HTTP/"
_QUOTED = 7
"""Bytes: enough to recognise SSH-2.0, too few to give a token away that the target sends back cut in two."""
_BLANK_LINE = re.compile(rb"\n\r?\n")
_INFORMATIONAL = re.compile(rb"HTTP/\d\.\d (1\d\d)\b")


class Head:
    """Status line and header fields of one answer, with the 1xx answers before it. Used by one thread."""

    def __init__(self, bounds: Bounds) -> None:
        """Expect the first byte of an answer."""
        self._bounds = bounds
        self._buffer = bytearray()
        self._searched = 0
        self._informational = 0
        self.started = False
        self.finished = False
        self.fields: tuple[tuple[str, str], ...] = ()
        """Header fields of the final answer exactly as received, decoded as Latin-1; complete once `finished`."""

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the exchange; raise NoAnswer (not-http, too-large) when they break a bound."""
        self.started = True
        if self.finished:
            return
        self._buffer += data
        while self._buffer and not self.finished:
            start = bytes(self._buffer[: len(_START)])
            if start != _START[: len(start)]:
                raise NoAnswer(Trouble.NOT_HTTP, _unlike_http(bytes(self._buffer[:_QUOTED])))
            blank_line = _BLANK_LINE.search(self._buffer, self._searched)
            size = blank_line.end() if blank_line else len(self._buffer)
            if size > self._bounds.header_bytes:
                raise NoAnswer(Trouble.TOO_LARGE, f"the header block exceeds {amount(self._bounds.header_bytes)}")
            if not blank_line:
                # The blank line may lie across two reads: its first bytes, at most two, are looked at again.
                self._searched = max(0, len(self._buffer) - 2)
                return
            self._take(bytes(self._buffer[:size]))
            del self._buffer[:size]
            self._searched = 0

    def _take(self, block: bytes) -> None:
        lines = [line.removesuffix(b"\r") for line in block.split(b"\n")[1:-2]]
        if len(lines) > self._bounds.header_fields:
            raise NoAnswer(Trouble.TOO_LARGE, f"more than {self._bounds.header_fields} header fields")
        if informational := _INFORMATIONAL.match(block):
            self._count(informational.group(1))
            return
        self.fields = _fields(lines)
        names = {name.lower() for name, _ in self.fields}
        if {"content-length", "transfer-encoding"} <= names:
            raise NoAnswer(Trouble.NOT_HTTP, "Content-Length and Transfer-Encoding contradict each other in one answer")
        self.finished = True

    def _count(self, status: bytes) -> None:
        if status == b"101":
            raise NoAnswer(Trouble.NOT_HTTP, "switched to another protocol although nothing asked for it")
        self._informational += 1
        if self._informational > self._bounds.informational:
            limit = self._bounds.informational
            raise NoAnswer(Trouble.TOO_LARGE, f"more than {limit} informational (1xx) answers and no final one")


def _fields(lines: list[bytes]) -> tuple[tuple[str, str], ...]:
    fields: list[tuple[str, str]] = []
    for line in lines:
        text = line.decode("latin-1")
        if text[:1] in (" ", "\t") and fields:
            name, value = fields.pop()
            fields.append((name, value + " " + text.strip(" \t")))
        else:
            name, _, value = text.partition(":")
            fields.append((name, value.strip(" \t")))
    return tuple(fields)


def _unlike_http(start: bytes) -> str:
    if start[:1] in (b"\x15", b"\x16"):
        return "the target speaks TLS where http was expected: try https"
    return f"the target does not speak HTTP/1.1: its answer starts with {start!r}"
