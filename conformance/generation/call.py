"""A generated call: its content, what it means, and how it is sent.

Clients write a list of data types in equivalent JSON encodings (4.1; RFC 8259).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from conformance.generation.meaning import HARMLESS, meaning_of_types, open_matter_of, types_in_body
from conformance.model.exchange import Exchange, Intent, Operation
from conformance.model.identity import IN_PIECES, PLAIN, USER, Identity
from conformance.scenarios.api import Api

Written = Callable[[Sequence[str]], bytes]
"""Returns the body of a list."""


def plain(types: Sequence[str]) -> bytes:
    """One line, with non-ASCII characters as escapes."""
    return json.dumps(list(types)).encode()


def in_letters(types: Sequence[str]) -> bytes:
    """One line, without escapes, except for a list with lone surrogates, which UTF-8 cannot encode."""
    return json.dumps(list(types), ensure_ascii=_is_cut(types)).encode()


def apart(types: Sequence[str]) -> bytes:
    """White space of every kind before and after the list."""
    return b"\r\n\t " + plain(types) + b" \t\r\n"


def tight(types: Sequence[str]) -> bytes:
    """No white space, characters without escapes, and the slash as an escape, as PHP writes it."""
    text = json.dumps(list(types), ensure_ascii=_is_cut(types), separators=(",", ":"))
    return text.replace("/", "\\/").encode()


def spelt_out(types: Sequence[str]) -> bytes:
    """Every character as an escape."""
    return f"[{', '.join(map(_spelt_out, types))}]".encode()


def _is_cut(types: Sequence[str]) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in "".join(types))


def _spelt_out(name: str) -> str:
    units = name.encode("utf-16-be", "surrogatepass")
    return '"' + "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2)) + '"'


JSON: Final = "application/json"

_OF_NO_REQUEST: Final = re.compile("[0-9A-Za-z_-]+")
"""An identifier that no request has, in any form of one (7). Other characters may stand for others in a path."""


@dataclass(frozen=True, slots=True)
class GeneratedCall:
    """A call to one operation; `segment` is the identifier in the path, percent-encoded."""

    operation: Operation
    content: bytes | None = None
    media_type: str = JSON
    segment: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    query: str = ""
    open: bool = False
    """Whether the specification leaves the answer open, although the content would have a stated one."""

    def send(self, service: Api, caller: Identity = USER, **meant: Any) -> Exchange:
        """Send the call; `meant` takes the place of what its content means. A request that it creates stays."""
        method, path = self.operation.method, self.operation.path
        label = {} if self.content is None else {"Content-Type": self.media_type}
        return service.session.send(
            method,
            path.replace("{requestId}", self.segment),
            credential=caller.label,
            authorization=caller.authorization,
            content=self.content,
            # A letter of two bytes in two pieces: who decodes each piece alone breaks it.
            variation=PLAIN if (self.content or b"").isascii() else IN_PIECES,
            headers=dict(self.headers) | label,
            query=self.query,
            intent=Intent(**{"generated": True, **self._meant(service), **meant}),
            operation=self.operation,
        )

    def _meant(self, service: Api) -> dict[str, Any]:
        """Return what the call means, as an intent states it."""
        if self.operation is Operation.CREATE:
            return self._meant_by_body(service)
        if not self.segment:
            return {"open": True, "unusual": True} if self.headers or self.query else {}
        if len(self.segment) > HARMLESS:
            return {"open": True, "unusual": True}  # a proxy may refuse it with its own message
        if self.open or not _OF_NO_REQUEST.fullmatch(unquote(self.segment, errors="replace")):
            return {"open": True}
        # A router may have a page of its own for what no identifier contains.
        return {"request": "unknown", "unusual": "_" in self.segment}

    def _meant_by_body(self, service: Api) -> dict[str, Any]:
        if not self.content:  # omitted, or empty with the media type of the operation (4.1)
            return {"body": "omitted", "label": "" if self.content is None else "empty"}
        types = types_in_body(self.content)
        if self.open or types is None or open_matter_of(self.content):
            return {"body": "odd", "open": True}
        body = meaning_of_types(types, frozenset(service.types()))
        if body == "odd":
            return {"body": "odd", "open": True}
        return {"body": body, "types": types, "label": "" if self.media_type == JSON else "unusual"}


def creation(types: Sequence[str], write: Written | None = None, **more: Any) -> GeneratedCall:
    """Return a creation for a list of types, written by `write`."""
    # JSON can write a non-ASCII letter in two ways: the run sends both.
    write = write or (plain if len(types) == 1 else in_letters)
    return GeneratedCall(Operation.CREATE, content=write(types), **more)
