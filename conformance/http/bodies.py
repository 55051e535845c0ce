"""The large bodies of a run, on the disk: each different one once."""

from __future__ import annotations

import hashlib
import tempfile
import weakref
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import IO

from conformance.model.bodies import LARGE, Content


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
        self._lock = Lock()

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
