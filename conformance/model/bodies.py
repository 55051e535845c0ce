"""Bodies of messages, read or not. Their documents are cached."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import RLock
from typing import Final

from conformance.model import strict_json
from conformance.model.strict_json import Document

LARGE: Final = 16 * 1024
"""Bytes beyond which a body is large: a run reads a bounded amount of those."""

_MOST: Final = 64 * 1024 * 1024
"""Bytes of memory, estimated, that the cached documents take together; the latest may take more."""


@dataclass(frozen=True)
class Unread:
    """A body that was received, but is not read."""

    digest: bytes
    """What tells it from other bodies."""
    size: int = field(compare=False)
    problem: str = field(compare=False)
    """Why it is not read."""


Content = bytes | Unread
"""A body; hashable, and cheap to compare."""


def bytes_of(content: Content) -> bytes:
    """Return a body as bytes."""
    return content if isinstance(content, bytes) else b""


class _Documents:
    """The documents of the bodies that were parsed last, as many as fit into a bounded amount of memory."""

    def __init__(self) -> None:
        self._documents: OrderedDict[Content, tuple[Document, int]] = OrderedDict()
        self._cost = 0
        self._lock = RLock()

    def of(self, content: Content) -> Document:
        """Return the document of a body. It is shared: do not change it."""
        if isinstance(content, Unread):
            return Document(None, content.problem, unread=True)
        with self._lock:  # one large body at a time takes memory while it is parsed
            if content not in self._documents:
                cost = _cost(content)
                while self._documents and self._cost + cost > _MOST:
                    self._cost -= self._documents.popitem(last=False)[1][1]
                self._documents[content] = strict_json.parse(content), cost
                self._cost += cost
            self._documents.move_to_end(content)
            return self._documents[content][0]


parsed: Final = _Documents().of
"""Return the document of a body, parsed strictly. It is cached and shared: do not change it."""


def _cost(body: bytes) -> int:
    """Return an estimate of the memory of a body and its document."""
    return len(body) * 5 // 2 + 60 * sum(map(body.count, (b",", b"[", b"{")))
