"""The large bodies of a run, on the disk: each different one once, and of a page the beginning alone."""

from __future__ import annotations

import hashlib
import re
import tempfile
import weakref
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import IO, Final

from conformance.model.bodies import LARGE, Content, Unread, parsed

MOST: Final = 32 * 1024 * 1024
"""Bytes of the large bodies that a run reads: each different one counts once."""

BEYOND: Final = f"the large bodies of the run together exceed the suite's published limit of {MOST // 2**20} MiB"

_OF_A_PAGE: Final = 4 * 1024
"""Bytes that are kept of a large body that does not begin like JSON."""

_BEGINS: Final = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+[{\[\"0-9tfn-]")
"""How a JSON document begins."""


@dataclass(frozen=True)
class KeptBody:
    """A body in the file of a store."""

    digest: bytes
    size: int = field(compare=False)
    _start: int = field(compare=False, repr=False)
    _store: BodyStore = field(compare=False, repr=False)

    def read(self) -> bytes:
        """Return the body."""
        return self._store.read(self._start, self.size)


class BodyStore:
    """Keeps bodies, the large ones in a file without a name, which disappears with the process.

    Safe to use from several threads. Where no file can be made or written, large bodies stay in memory.
    """

    def __init__(self) -> None:
        self._small: dict[bytes, bytes] = {}
        self._large: dict[bytes, Content] = {}
        """The large bodies by digest."""
        self._file: IO[bytes] | None = None
        self._end = 0
        self._received: dict[bytes, Content] = {}
        """What stands for the large bodies that were received, by digest."""
        self._spent = 0
        self._lock = Lock()
        self._reading = Lock()

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return self._end

    def keep(self, body: bytes) -> Content:
        """Keep a body; equal ones are kept once."""
        if len(body) <= LARGE:
            return self._small.setdefault(body, body)
        digest = hashlib.sha256(body).digest()
        with self._lock:
            known = self._large.get(digest)
            if known is None:
                known = self._large[digest] = self._written(body, digest)
            return known

    @property
    def is_overdrawn(self) -> bool:
        """Whether bodies that were needed went beyond `MOST`."""
        return self._spent > MOST

    def received(self, body: bytes, *, needed: bool = False) -> Content:
        """Keep the body of a response as the run reads it: of a page the beginning, and beyond `MOST` nothing.

        The document of a creation is `needed`: without it, a request could not be deleted.
        """
        if len(body) <= LARGE:
            return self.keep(body)
        digest = hashlib.sha256(body).digest()
        with self._reading:
            known = self._received.get(digest)
            if known is None or (needed and isinstance(known, Unread)):
                known = self._received[digest] = self._read_now(body, digest, needed=needed)
            return known

    def _read_now(self, body: bytes, digest: bytes, *, needed: bool) -> Content:
        if not _BEGINS.match(body):
            return self.keep(_beginning(body, digest))
        if len(body) <= 2 * LARGE:
            return self.keep(body)
        if self._spent + len(body) > MOST and not needed:
            self._spent = max(self._spent, MOST)
            return Unread(digest, len(body), BEYOND)
        self._spent += len(body)
        content = self.keep(body)
        document = parsed(content)
        return Unread(digest, len(body), document.problem or "") if document.unread else content

    def _written(self, body: bytes, digest: bytes) -> Content:
        with suppress(OSError):
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the store
                weakref.finalize(self, self._file.close)
            self._file.seek(self._end)
            self._file.write(body)
            self._file.flush()
            start, self._end = self._end, self._end + len(body)
            return KeptBody(digest, len(body), start, self)
        return body

    def read(self, start: int, size: int) -> bytes:
        """Return a part of the file."""
        with self._lock:
            assert self._file is not None
            self._file.seek(start)
            return self._file.read(size)


def _beginning(body: bytes, digest: bytes) -> bytes:
    """Return the beginning of a page, up to a white space: no token is cut into pieces that nothing recognises."""
    words = re.match(rb"(?s).*\s", body[:_OF_A_PAGE])
    left = words[0].rstrip() if words else b""
    return left + f" [{len(body) - len(left)} bytes cut out, SHA-256 of the whole {digest.hex()[:32]}]".encode()
