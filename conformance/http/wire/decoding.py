"""Content codings, undone step by step so that a small answer cannot become a large one."""

from __future__ import annotations

import io
import tempfile
import zlib
from collections.abc import Iterable
from contextlib import suppress
from typing import IO

from conformance.http.wire.exchange_limits import amount
from conformance.model.exchange import ErrorKind, TransportError
from conformance.model.text import shorten

_STEP = 256 * 1024
_MAX_MEMBERS = 1000
_IN_MEMORY = 1024 * 1024
"""Bytes of a body in memory while it arrives, since several may arrive at the same time."""

_GZIP_MAGIC = b"\x1f\x8b"
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS


def coding_of(fields: Iterable[tuple[str, str]]) -> str:
    """Return the one content coding that header `fields` name, "" for none; several come joined by commas."""
    values = ",".join(value for name, value in fields if name.lower() == "content-encoding")
    names = [name.strip().lower() for name in values.split(",")]
    return ", ".join(name for name in names if name not in ("", "identity"))


class Decoder:
    """Undoes one content coding step by step, and collects what comes out: beyond `_IN_MEMORY` in a file."""

    def __init__(self, coding: str, limit: int) -> None:
        """Undo `coding` ("", gzip, x-gzip or deflate; others fail at the first byte) up to `limit` bytes."""
        self._body: IO[bytes] = io.BytesIO()
        self._size = 0
        self._coding = coding
        self._limit = limit
        self._kept = b""
        self._members = 0
        self._inflate: zlib._Decompress | None = None
        self._over = False

    def feed(self, data: bytes) -> None:
        """Take the next bytes; raise TransportError (coding, too-large)."""
        if not data:
            return
        if not self._coding:
            self._keep(data)
        elif self._coding in ("gzip", "x-gzip", "deflate"):
            try:
                self._decode(data)
            except zlib.error as error:
                raise TransportError(ErrorKind.CODING, f"the body is not valid {self._coding}: {error}") from error
        else:
            count = "more than one content coding" if "," in self._coding else "a content coding that was not asked for"
            raise TransportError(ErrorKind.CODING, f"{count}: {shorten(self._coding, 100)}")

    def finish(self) -> IO[bytes]:
        """Return the whole body, for the caller to close; raise TransportError (truncated) without its end."""
        if self._inflate is not None or (self._kept and not self._members):
            raise TransportError(ErrorKind.TRUNCATED, f"the {self._coding} stream of the body was cut off")
        self._body.seek(0)
        return self._body

    def close(self) -> None:
        """Give up the body."""
        self._body.close()

    def _decode(self, data: bytes) -> None:
        data = self._kept + data
        self._kept = b""
        while not self._over:
            if self._inflate is None:
                if len(data) < 2:
                    self._kept = data
                    return
                self._begin_member(data[:2])
                continue
            step = min(_STEP, self._limit - self._size + 1)
            piece = self._inflate.decompress(data, step)
            self._keep(piece)
            if self._inflate.eof:
                data = self._inflate.unused_data
                self._inflate = None
            else:
                data = self._inflate.unconsumed_tail
                # A full step may have left output behind although all input is used up.
                if not data and len(piece) < step:
                    return

    def _begin_member(self, start: bytes) -> None:
        gzip = self._coding != "deflate"
        # A gzip file may hold several members; what follows the last one is padding that every reader ignores.
        if self._members and not (gzip and start == _GZIP_MAGIC):
            self._over = True
            return
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise TransportError(ErrorKind.CODING, f"more than {_MAX_MEMBERS} gzip members in one body")
        # Under "deflate" some servers send the bare stream instead of the zlib format (RFC 9110, 8.4.1.2).
        has_header = start[0] & 0x0F == 8 and int.from_bytes(start, "big") % 31 == 0
        self._inflate = zlib.decompressobj(_GZIP if gzip else _ZLIB if has_header else _RAW)

    def _keep(self, data: bytes) -> None:
        room = self._limit - self._size
        self._size += self._body.write(data[:room])
        if self._size > _IN_MEMORY and isinstance(self._body, io.BytesIO):
            with suppress(OSError):  # without a place for a file, it stays in memory
                file = tempfile.TemporaryFile()  # noqa: SIM115 - its reader closes it
                file.write(self._body.getvalue())
                self._body = file
        if len(data) > room:
            kind = "decoded" if self._coding else "long"
            raise TransportError(ErrorKind.TOO_LARGE, f"the body is more than {amount(self._limit)} {kind}")
