"""One generated call, as a case of schemathesis, with its meaning for the rules."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from conformance.client.encodings import Written, in_letters, plain
from conformance.client.user import UserClient
from conformance.generation.cases import OPERATIONS, operation
from conformance.model.exchange import Exchange, Intent, Operation
from conformance.model.identity import USER
from conformance.model.text import quoted, shorten

if TYPE_CHECKING:
    from schemathesis import Case

_UNITS = re.compile(r"%[0-9A-Fa-f]{2}|.", re.DOTALL)
_HARMLESS: Final = 100
"""Characters of the longest type that no service may refuse for its length."""

MANY: Final = 60
"""Types in a list that a service may find too long: more than it looks up at a time, but no large body."""

_LONG_PATH: Final = 255
"""Characters beyond which a proxy may refuse an identifier."""

_PARTS: Final = 60
"""A longer body or identifier is not shrunk: there are too many characters to try."""

_NOWHERE: Final = "http://service.invalid"
"""The base address for schemathesis, which changes the writing of others, such as capitals in the host."""

Part = tuple[str, Any]
"""An optional part of a call: its kind and its value."""


@dataclass(frozen=True, slots=True)
class GeneratedCall:
    """A call to one operation. It is judged, unless `row` names the open requirement that it belongs to.

    The body is an array of `types`, or else `content`; `segment` is the identifier in the path, percent-encoded.
    """

    operation: Operation
    row: str = ""
    about: str = ""
    """What is unusual about it, in words; empty if its body says it."""
    types: tuple[str, ...] | None = None
    written: Written | None = None
    """How the list of types is written, if that is unusual."""
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
        # JSON can write a non-ASCII letter in two ways: the run sends both.
        return (self.written or (plain if len(self.types) == 1 else in_letters))(self.types)

    @property
    def case(self) -> Case[Any]:
        """The call as a case of schemathesis."""
        meant = operation(self.operation)
        path, headers = {"requestId": self.segment} if self.segment else {}, dict(self.headers)
        if self.body is None:
            return meant.Case(path_parameters=path, headers=headers)
        return meant.Case(path_parameters=path, headers=headers, body=self.body, media_type="application/json")

    @property
    def subject(self) -> str:
        """What is unusual about the call, to begin a sentence with; read it after the call is sent.

        Its body is public once it is recorded. Before that, a number in it can look like personal data.
        """
        return self.about or f"The body {quoted(self.content or b'', 60)}"

    @property
    def in_words(self) -> str:
        """The call in one line: method, path, unusual headers and body."""
        method, path = OPERATIONS[self.operation]
        path = path.replace("{requestId}", self.segment) + (f"?{self.query}" if self.query else "")
        line = f"{method} {shorten(path, 120)}"
        if self.headers:
            line += f" with {shorten(', '.join(f'{name}: {value}' for name, value in self.headers), 120)}"
        body = self.body
        if not body:
            return line if body is None else f"{line} with an empty body and Content-Type {self.media_type}"
        line += f" with the body {quoted(body)}"
        if self.media_type == "application/json":
            return line
        return f"{line} and Content-Type {self.media_type}" if self.media_type else f"{line} without Content-Type"

    def send(self, service: UserClient, **meant: Any) -> Exchange:
        """Send the call through the session; delete a request that it created."""
        sent = self.case.as_transport_kwargs(base_url=_NOWHERE)
        headers = dict(self.headers)
        if self.body is not None and self.media_type is not None:
            headers["Content-Type"] = self.media_type
        room = service.room(USER) if self.operation is Operation.CREATE else {}
        exchange = service.session.send(
            sent["method"],
            sent["url"].removeprefix(_NOWHERE),
            credential=USER.label,
            content=sent.get("data"),
            headers=headers,
            query=self.query,
            intent=Intent(**{"generated": True, **room, **self._intent(service), **meant}),
            operation=self.operation,
        )
        made = service.created_if_possible(exchange) if self.operation is Operation.CREATE else None
        if made is not None:
            service.delete(made.request_id, request="clean-up")
        return exchange

    def _intent(self, service: UserClient) -> dict[str, Any]:
        unusual = {"label": "unusual"} if self.media_type != "application/json" else {}
        if self.row == "0-odd-headers" or len(self.segment) > _LONG_PATH:
            return {"open": True, "unusual": True}  # a proxy may refuse it with its own message
        if self.row == "4.2-odd-identifiers" and self.segment.replace("-", "").isalnum():
            return {"request": "unknown"}  # no request has it, whatever form an identifier has (7)
        if self.row:
            return {"open": True, "body": "odd"} if self.operation is Operation.CREATE else {"open": True}
        if self.operation is not Operation.CREATE:
            return {"request": "unknown"}
        if self.types is None:
            return {"body": "omitted", "label": "empty"}
        listed = service.types()
        unknown = set(self.types).difference(listed)
        meant = _meant(unknown, listed) if unknown else "known types"
        if unknown and len(self.types) >= MANY:
            meant = "unprintable type"  # the service may refuse it for its length
        return {"body": meant, "types": list(self.types), **unusual}

    def parts(self) -> list[Part]:
        """Return the parts that shrinking may drop."""
        parts: list[Part] = [("header", each) for each in self.headers] + [("query", self.query)] * bool(self.query)
        parts += [("label", self.media_type)] * (self.types is not None and self.media_type != "application/json")
        parts += [("writing", self.written)] * (self.written is not None)
        units: list[Part] = []
        if self.types is not None:
            units = [("letter", each) for each in self.types[0]] if len(self.types) == 1 else []
            parts += [("type", each) for each in self.types] * (len(self.types) > 1)
        elif self.content is not None:
            units = [("byte", each) for each in self.content]
        else:
            units = [("unit", each) for each in _UNITS.findall(self.segment)]
        return parts + units * (len(units) <= _PARTS)

    def of_parts(self, kept: Collection[int]) -> GeneratedCall | None:
        """Return the call with only some of its `parts`; None if it would lose its subject."""
        parts = self.parts()
        left = [part for index, part in enumerate(parts) if index in kept]
        values: dict[str, list[Any]] = {kind: [] for kind, _ in parts}
        for kind, value in left:
            values[kind].append(value)
        changes: dict[str, Any] = {
            "headers": tuple(values.get("header", ())),
            "query": "".join(values.get("query", "")),
        }
        if values.get("label") == []:
            changes["media_type"] = "application/json"
        if values.get("writing") == []:
            changes["written"] = None
        for kind, name, joined in (
            ("type", "types", tuple),
            ("letter", "types", lambda letters: ("".join(letters),)),
            ("byte", "content", bytes),
            ("unit", "segment", "".join),
        ):
            if kind in values:
                if not values[kind]:
                    return None
                changes[name] = joined(values[kind])
        return replace(self, **changes)


def _meant(unknown: set[str], listed: list[str]) -> str:
    """Return the intent of a body that contains these unlisted types."""
    if all(map(str.isprintable, unknown)):
        return "unknown type"
    similar = {alike(each) for each in unknown} <= {"", *map(alike, listed)}
    return "odd" if similar else "unprintable type"


def alike(name: str) -> str:
    """Return a name without differences of case, white space, accents and Unicode form."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    return "".join(each for each in plain if unicodedata.category(each)[0] not in "ZCM")


def is_plainly_unknown(name: str, likenesses: frozenset[str]) -> bool:
    """Tell whether a string is unknown under every comparison of strings, and otherwise ordinary.

    `likenesses` are the listed types after `alike`.
    """
    return len(name) <= _HARMLESS and name.isprintable() and alike(name) not in likenesses | {""}
