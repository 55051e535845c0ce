"""A generated call: its content, its form in the record, and how it is sent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import unquote

from conformance.client.api import Api
from conformance.client.encodings import Written, in_letters, plain
from conformance.generation.meaning import Vocabulary, meaning_of_types
from conformance.model.exchange import OPERATIONS, Exchange, Intent, Operation
from conformance.model.identity import ANONYMOUS, IN_PIECES, PLAIN, USER, Identity
from conformance.model.text import in_json, quoted, shorten
from conformance.spec.kinds import WORDS

_LONG_PATH: Final = 255
"""Characters beyond which a proxy may refuse an identifier."""

_SHOWN: Final = 60
"""Characters of an unusual value in a sentence."""


@dataclass(frozen=True, slots=True)
class GeneratedCall:
    """A call to one operation. It is judged, unless `row` names the open requirement that it belongs to.

    The body is `content`, or else an array of `types`; `segment` is the identifier in the path, percent-encoded.
    """

    operation: Operation
    row: str = ""
    types: tuple[str, ...] | None = None
    """The strings that the body lists."""
    written: Written | None = None
    """How the list of types is written, if that is unusual."""
    content: bytes | None = None
    media_type: str | None = "application/json"
    segment: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    query: str = ""
    mode: str = ""
    """Whether the call follows the OpenAPI document ("positive") or breaks it ("negative"); empty for other calls."""
    unclear: bool = False
    """Whether the specification leaves the answer open, and no requirement of the catalogue is about it."""

    @property
    def body(self) -> bytes | None:
        """The bytes of the body, or None without one."""
        if self.content is not None or self.types is None:
            return self.content
        # JSON can write a non-ASCII letter in two ways: the run sends both.
        return (self.written or (plain if len(self.types) == 1 else in_letters))(self.types)

    @property
    def size(self) -> tuple[int, int]:
        """Bytes and parts of the call: of two calls that show the same, the smaller one is easier to understand."""
        parts = len(self.headers) + bool(self.query)
        return len(self.body or b"") + len(self.segment) + len(self.query), parts

    @property
    def subject(self) -> str:
        """What is unusual about the call, to begin a sentence with; read it after the call is sent.

        Its body is public once it is recorded. Before that, a number in it can look like personal data.
        """
        if self.operation is Operation.CREATE:
            label = "" if self.media_type == "application/json" else f" labelled {self.media_type or 'with nothing'}"
            return f"The body {quoted(self.body or b'', _SHOWN)}{label}"
        if self.segment:
            identifier = in_json(unquote(self.segment, errors="replace"), _SHOWN)
            return f"{identifier} as an identifier to {WORDS[self.operation]}"
        added = [f"{name}: {value}" for name, value in self.headers] + [f"?{self.query}"] * bool(self.query)
        return f"{self.operation.call} with {shorten(', '.join(added), _SHOWN)}"

    def recorded(self) -> GeneratedCall:
        """Return the call as evidence has it: with its body, and without the function that wrote it."""
        return self if self.written is None else replace(self, content=self.body, written=None)

    def send(self, service: Api, caller: Identity = USER, **meant: Any) -> Exchange:
        """Send the call with a token; delete a request that it created."""
        exchange = self.keep(service, caller, **meant)
        made = service.created_if_possible(exchange) if self.operation is Operation.CREATE else None
        if made is not None:
            service.delete(made.request_id, caller, request="clean-up")
        return exchange

    def keep(self, service: Api, caller: Identity, **meant: Any) -> Exchange:
        """Send the call with a token; a request that it creates stays."""
        return self._put(service, caller, {**self._intent(service), **meant})

    def read(self, public: Api, caller: Identity = ANONYMOUS) -> Exchange:
        """Send a call that changes nothing, without a token or with one."""
        return self._put(public, caller, {"open": True, "unusual": True} if self.row else {})

    def _put(self, client: Api, caller: Identity, meant: dict[str, Any]) -> Exchange:
        method, path = OPERATIONS[self.operation]
        headers = dict(self.headers)
        if self.body is not None and self.media_type is not None:
            headers["Content-Type"] = self.media_type
        return client.session.send(
            method,
            path.replace("{requestId}", self.segment),
            credential=caller.label,
            authorization=caller.authorization,
            content=self.body,
            # A letter of two bytes in two pieces: who decodes each piece alone breaks it.
            variation=PLAIN if (self.body or b"").isascii() else IN_PIECES,
            headers=headers,
            query=self.query,
            intent=Intent(**{"generated": True, **meant}),
            operation=self.operation,
        )

    def _intent(self, service: Api) -> dict[str, Any]:
        unusual = {"label": "unusual"} if self.media_type != "application/json" else {}
        if self.row == "0-odd-headers" or len(self.segment) > _LONG_PATH:
            return {"open": True, "unusual": True}  # a proxy may refuse it with its own message
        if self.row == "4.2-odd-identifiers" and self.segment.replace("-", "").isalnum():
            return {"request": "unknown"}  # no request has it, in any form of an identifier (7)
        if self.operation not in (Operation.CREATE, Operation.READ, Operation.DELETE):
            return {}
        if self.row or self.unclear:
            return {"open": True, "body": "odd"} if self.operation is Operation.CREATE else {"open": True}
        if self.operation is not Operation.CREATE:
            # A router may have a page of its own for what no identifier contains.
            return {"request": "unknown", "unusual": "_" in self.segment}
        if self.types is None:
            return {"body": "omitted"} if self.body is None else {"body": "omitted", "label": "empty"}
        body = meaning_of_types(self.types, Vocabulary.of(service.types()))
        return {"body": body, "types": list(self.types), **unusual}
