"""Bodies of messages: small ones are bytes, large ones are kept elsewhere. Their documents are cached."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, Protocol, runtime_checkable

from conformance.model import strict_json
from conformance.model.strict_json import Document

LARGE: Final = 16 * 1024
"""Bytes beyond which a body is kept elsewhere than in the memory of the run."""

_MOST: Final = 64 * 1024 * 1024
"""Bytes of memory, estimated, that the cached documents take together; the latest may take more."""


@runtime_checkable
class Kept(Protocol):
    """A large body that is kept elsewhere; equal bodies are one."""

    @property
    def size(self) -> int:
        """Number of bytes."""

    @property
    def digest(self) -> bytes:
        """SHA-256 of the body."""

    def __hash__(self) -> int: ...

    def read(self) -> bytes:
        """Return the body."""


@dataclass(frozen=True)
class Unread:
    """A body that was received, but is neither read nor kept."""

    digest: bytes
    """What tells it from other bodies."""
    size: int = field(compare=False)
    problem: str = field(compare=False)
    """Why it is not read."""

    def read(self) -> bytes:
        """Return nothing."""
        return b""


Content = bytes | Kept
"""A body; hashable, and cheap to compare."""

Keep = Callable[[bytes], Content]
"""Keeps a body, where it is large elsewhere than in memory."""


def bytes_of(content: Content) -> bytes:
    """Return a body as bytes."""
    return content if isinstance(content, bytes) else content.read()


class _Documents:
    """The documents of the bodies that were parsed last, as many as fit into a bounded amount of memory."""

    def __init__(self) -> None:
        self._documents: OrderedDict[Content, tuple[Document, int]] = OrderedDict()
        self._without_value: dict[bytes, Document] = {}
        """By digest, of large bodies that are not JSON or not read: these take no memory, so each is parsed once."""
        self._cost = 0
        self._lock = Lock()

    def of(self, content: Content) -> Document:
        """Return the document of a body. It is shared: do not change it."""
        if isinstance(content, Unread):
            return Document(None, content.problem, unread=True)
        with self._lock:
            known = self._documents.get(content)
            if known is not None:
                self._documents.move_to_end(content)
                return known[0]
        if isinstance(content, bytes):
            return self._add(content, strict_json.parse(content), _OF_SMALL * len(content))
        with self._one_at_a_time:
            if (found := self._without_value.get(content.digest)) is not None:
                return found
            body = content.read()
            self._make_room(_OF_SMALL * len(body))
            document = strict_json.parse(body)
            if document.problem is not None:
                return self._without_value.setdefault(content.digest, document)
            return self._add(content, document, _cost(body))

    _one_at_a_time = Lock()

    def _add(self, content: Content, document: Document, cost: int) -> Document:
        self._make_room(cost)
        with self._lock:
            if content not in self._documents:
                self._documents[content] = document, cost
                self._cost += cost
        return document

    def _make_room(self, cost: int) -> None:
        with self._lock:
            while self._documents and self._cost + cost > _MOST:
                _, (_, freed) = self._documents.popitem(last=False)
                self._cost -= freed


parsed: Final = _Documents().of
"""Return the document of a body, parsed strictly. It is cached and shared: do not change it."""


_OF_SMALL: Final = 8
"""Bytes of memory that a document usually takes for each byte of its body."""


def _cost(body: bytes) -> int:
    """Return an estimate of the memory of the document of `body`."""
    return len(body) * 3 // 2 + 60 * sum(map(body.count, (b",", b"[", b"{")))
