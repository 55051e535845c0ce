"""One generated call: what is sent, what it means to a judge, and what could be sent in its place that is simpler."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from conformance.client.encodings import Written, in_letters, plain
from conformance.client.expect import shorten
from conformance.client.user import UserClient
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import USER

_METHOD = {Operation.CREATE: "POST", Operation.DELETE: "DELETE"}
_PATH = {
    Operation.CREATE: "/requests",
    Operation.SETTINGS: "/settings",
    Operation.DATA: "/data",
    Operation.DATA_ME: "/data/me",
}
_UNITS = re.compile(r"%[0-9A-Fa-f]{2}|.", re.DOTALL)
_HARMLESS: Final = 100
"""Characters of the longest type that nothing but the list of types can be the reason to refuse."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call to one operation. It is judged, unless `row` names the open requirement that it belongs to.

    The body is an array of `types`, or else `content`; `segment` is the identifier in the path, percent-encoded.
    """

    operation: Operation
    row: str = ""
    about: str = ""
    """What is odd about it, in words that are followed by how it is answered."""
    types: tuple[str, ...] | None = None
    written: Written | None = None
    """How the list of the types is written, where that is unusual."""
    content: bytes | None = None
    media_type: str | None = "application/json"
    segment: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    query: str = ""

    @property
    def body(self) -> bytes | None:
        """The bytes of the body, or None without one."""
        if self.types is None:
            return self.content
        # JSON has two ways to write a letter beyond ASCII: both are sent.
        return (self.written or (plain if len(self.types) == 1 else in_letters))(self.types)

    @property
    def in_words(self) -> str:
        """The call in one line: method, path, odd headers and body."""
        path = _PATH.get(self.operation, f"/requests/{self.segment}") + (f"?{self.query}" if self.query else "")
        line = f"{_METHOD.get(self.operation, 'GET')} {shorten(path, 120)}"
        if self.headers:
            line += f" with {shorten(', '.join(f'{name}: {value}' for name, value in self.headers), 120)}"
        body = self.body
        if not body:
            return line if body is None else f"{line} with an empty body, labelled {self.media_type}"
        line += f" with the body {shorten(body.decode('utf-8', 'backslashreplace'))}"
        if self.media_type == "application/json":
            return line
        return f"{line}, labelled {self.media_type}" if self.media_type else f"{line}, without a label"

    def send(self, service: UserClient, **facts: Any) -> Exchange:
        """Put the call to the target; a request that it created is deleted."""
        body = self.body
        headers = dict(self.headers)
        if body is not None and self.media_type is not None:
            headers["Content-Type"] = self.media_type
        room = service.room(USER) if self.operation is Operation.CREATE else {}
        exchange = service.session.send(
            _METHOD.get(self.operation, "GET"),
            _PATH.get(self.operation, f"/requests/{self.segment}"),
            credential=USER.label,
            content=body,
            headers=headers,
            query=self.query,
            facts={"generated": True, "operation": self.operation, **room, **self._facts(service), **facts},
        )
        made = service.created_if_possible(exchange) if self.operation is Operation.CREATE else None
        if made is not None:
            service.delete(made.request_id, request="clean-up")
        return exchange

    def _facts(self, service: UserClient) -> dict[str, Any]:
        unusual = {"label": "unusual"} if self.media_type != "application/json" else {}
        if self.row == "0-odd-headers":
            return {"open": True, "unusual": True}
        if self.row:
            return {"open": True, "body": "odd"} if self.operation is Operation.CREATE else {"open": True}
        if self.operation is not Operation.CREATE:
            return {"request": "unknown"}
        if self.types is None:
            return {"body": "omitted"}
        listed = service.types()
        unknown = set(self.types).difference(listed)
        meant = _meant(unknown, listed) if unknown else "known types"
        return {"body": meant, "types": list(self.types), **unusual}

    def simpler(self) -> Iterator[Call]:
        """Yield what is like this call but for a part that may not matter, the boldest first."""
        if self.headers:
            yield replace(self, headers=())
            for header in self.headers:
                yield replace(self, headers=(header,))
        if self.query:
            yield replace(self, query="")
        if self.types is not None and self.media_type != "application/json":
            yield replace(self, media_type="application/json")
        if self.written is not None:
            yield replace(self, written=None)
        if self.types is not None:
            yield from (replace(self, types=types) for types in _shorter(self.types))
        elif self.content is not None:
            yield from (replace(self, content=bytes(part)) for part in _parts(list(self.content)))
        if self.segment:
            yield from (replace(self, segment="".join(part)) for part in _parts(_UNITS.findall(self.segment)))


def _meant(unknown: set[str], listed: list[str]) -> str:
    """Return what a body asks for in which these are no listed types."""
    if all(map(str.isprintable, unknown)):
        return "unknown type"
    similar = {alike(each) for each in unknown} <= {"", *map(alike, listed)}
    return "odd" if similar else "unprintable type"


def _shorter(types: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if len(types) > 1:
        yield from ((name,) for name in types)
        yield from (types[:index] + types[index + 1 :] for index in range(len(types)))
    yield from (("".join(part),) for name in types[:1] for part in _parts(list(name)) if len(types) == 1)


def _parts(units: list[Any]) -> Iterator[list[Any]]:
    """Yield one unit, each half, and all but the last unit; never nothing at all."""
    half = len(units) // 2
    for part in (units[:1], units[:half], units[half:], units[:-1]):
        if 0 < len(part) < len(units):
            yield part


def alike(name: str) -> str:
    """Return what is left of a name where case, white space, accents and the form of Unicode do not count."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    return "".join(each for each in plain if unicodedata.category(each)[0] not in "ZCM")


def is_plainly_unknown(name: str, likenesses: frozenset[str]) -> bool:
    """Tell whether a string is no listed type whichever way strings are compared, and nothing else is odd about it.

    `likenesses` are what `alike` makes of the listed types.
    """
    return len(name) <= _HARMLESS and name.isprintable() and alike(name) not in likenesses | {""}


def is_plain_segment(segment: str) -> bool:
    """Tell whether a path segment reaches the operation whatever stands in between."""
    return re.fullmatch(r"[0-9A-Za-z_-]{1,64}", segment) is not None
