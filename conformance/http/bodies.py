"""The bodies that a run receives: a bounded amount of large ones, and of a page the beginning."""

from __future__ import annotations

import hashlib
import re
from threading import Lock
from typing import Final

from conformance.model.strict_json import LARGE, MOST, Content, Unread, parsed

BEYOND: Final = f"the large bodies of the run together exceed the suite's published limit of {MOST // 2**20} MiB"

_BEGINS: Final = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+[{\[\"0-9tfn-]")
"""How a JSON document begins."""


class Bodies:
    """Takes the bodies of responses, equal large ones once. Safe to use from several threads."""

    def __init__(self) -> None:
        self._large: dict[bytes, Content] = {}
        """What stands for the large bodies, by digest."""
        self._spent = 0
        self._lock = Lock()

    @property
    def is_overdrawn(self) -> bool:
        """Whether bodies that were needed went beyond `MOST`."""
        return self._spent > MOST

    def received(self, body: bytes, *, needed: bool = False) -> Content:
        """Return the body of a response as the run reads it: of a page the beginning, and beyond `MOST` nothing.

        The document of a creation is `needed`: without it, a request could not be deleted.
        """
        if len(body) <= LARGE:
            return body
        digest = hashlib.sha256(body).digest()
        with self._lock:
            known = self._large.get(digest)
            if known is None or (needed and isinstance(known, Unread)):
                known = self._large[digest] = self._read(body, digest, needed=needed)
            return known

    def _read(self, body: bytes, digest: bytes, *, needed: bool) -> Content:
        if not _BEGINS.match(body):
            return _beginning(body, digest)
        if len(body) <= 2 * LARGE:
            return body
        if self._spent + len(body) > MOST and not needed:
            self._spent = max(self._spent, MOST)
            return Unread(digest, len(body), BEYOND)
        self._spent += len(body)
        document = parsed(body)
        return Unread(digest, len(body), document.problem or "") if document.unread else body


def _beginning(body: bytes, digest: bytes) -> bytes:
    """Return the beginning of a page, up to a white space: no token is cut into pieces that nothing recognises."""
    words = re.match(rb"(?s).*\s", body[: LARGE // 2])
    left = words[0].rstrip() if words else b""
    return left + f" [{len(body) - len(left)} bytes cut out, SHA-256 of the whole {digest.hex()[:32]}]".encode()
