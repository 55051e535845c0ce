"""Building blocks of faults that differ in data only: what changes, where it changes, and when.

A change takes a document and returns what is sent in its place; it may alter the document it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.reference.call import Call, Operation, Reply
from conformance.reference.errors import Condition
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

Change = Callable[[Any], Any]
When = Callable[[int], bool]
"""Says of the number of an answer, counted from 0 for each operation, whether it is bent."""


def always(_turn: int) -> bool:
    """Every answer."""
    return True


def one_in_ten(turn: int) -> bool:
    """The fourth of every ten answers."""
    return turn % 10 == 3


def after_first(turn: int) -> bool:
    """Every answer but the first."""
    return turn > 0


# ---------------------------------------------------------------------- what changes


def without(*names: str) -> Change:
    """Leave the fields out."""

    def change(document: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in document.items() if name not in names}

    return change


def put(**values: Any) -> Change:
    """Set the fields, whether or not they are there."""
    return lambda document: document | values


def renamed(name: str, to: str) -> Change:
    """Call a field otherwise."""

    def change(document: dict[str, Any]) -> dict[str, Any]:
        return {to if each == name else each: value for each, value in document.items()}

    return change


def mapped(name: str, function: Callable[[Any], Any]) -> Change:
    """Send what `function` makes of the value of a field; a field that is absent stays so."""

    def change(document: dict[str, Any]) -> dict[str, Any]:
        return document | {name: function(document[name])} if name in document else document

    return change


# ---------------------------------------------------------------------- where and when it changes


def on_settings(change: Change, when: When = always) -> type[Service]:
    """Variant the settings."""

    class Bent(Service):
        def settings(self, call: Call) -> Any:
            document = super().settings(call)
            return change(document) if when(self.turn((Bent, "settings"))) else document

    return Bent


def on_data_types(change: Change, *, last_only: bool = False, when: When = always) -> type[Service]:
    """Variant every data type of the list, or only the last."""

    class Bent(Service):
        def data(self, call: Call) -> Any:
            listing = super().data(call)
            return listing if not when(self.turn((Bent, "data"))) else self.bend(listing)

        def bend(self, listing: list[Any]) -> list[Any]:
            last = len(listing) - 1
            return [change(each) if n == last or not last_only else each for n, each in enumerate(listing)]

    return Bent


def on_data_list(change: Change, when: When = always) -> type[Service]:
    """Variant the data type list as a whole."""

    class Bent(Service):
        def data(self, call: Call) -> Any:
            listing = super().data(call)
            return change(listing) if when(self.turn((Bent, "data"))) else listing

    return Bent


def on_request(change: Change, *operations: Operation, when: When = always) -> type[Service]:
    """Variant the data request object that the operations show; without operations, that all of them show."""

    class Bent(Service):
        def document(self, request: DataRequest, call: Call) -> Any:
            document = super().document(request, call)
            if operations and call.operation not in operations:
                return document
            return change(document) if when(self.turn((Bent, call.operation))) else document

    return Bent


def on_error(change: Change, *conditions: Condition, when: When = always) -> type[Service]:
    """Variant the error object of the conditions; without conditions, every error object."""

    class Bent(Service):
        def error(self, condition: Condition, call: Call) -> Any:
            document = super().error(condition, call)
            if conditions and condition not in conditions:
                return document
            return change(document) if when(self.turn((Bent, condition))) else document

    return Bent


def on_success(change: Callable[[Reply], Reply], *operations: Operation, when: When = always) -> type[Service]:
    """Variant the whole answer of the operations where it is a success."""

    class Bent(Service):
        def finish(self, reply: Reply, call: Call) -> Reply:
            if reply.status != 200 or (operations and call.operation not in operations):
                return reply
            return change(reply) if when(self.turn((Bent, call.operation))) else reply

    return Bent


def on_refusal(change: Callable[[Reply], Reply], *conditions: Condition, when: When = always) -> type[Service]:
    """Variant the whole answer of the conditions."""

    class Bent(Service):
        def finish(self, reply: Reply, call: Call) -> Reply:
            if call.condition is None or (conditions and call.condition not in conditions):
                return reply
            return change(reply) if when(self.turn((Bent, call.condition))) else reply

    return Bent


# ---------------------------------------------------------------------- whole answers


def status(code: int) -> Callable[[Reply], Reply]:
    """Keep the answer and change its status; one that allows no body loses it."""

    def change(reply: Reply) -> Reply:
        return Reply(code) if code == 204 else Reply(code, reply.body, reply.headers)

    return change


def beside(code: int) -> tuple[str, ...]:
    """Return what an answer of this status violates besides the requirement that it does not meet."""
    if 400 <= code < 500:
        return ("0-bodies-are-json", "2.4-object", "2.4-error", "2.4-message")
    return ("0-server-errors",) if code >= 500 else ()


def label(media_type: str) -> Callable[[Reply], Reply]:
    """Keep the answer and label it otherwise."""
    return lambda reply: Reply(reply.status, reply.body, reply.headers | {"content-type": media_type})


def text(body: str | bytes, media_type: str = "text/plain; charset=utf-8") -> Callable[[Reply], Reply]:
    """Keep the status and send this body in place of the one there was."""
    content = body.encode() if isinstance(body, str) else body
    return lambda reply: Reply(reply.status, content, reply.headers | {"content-type": media_type})


def body(change: Callable[[bytes], bytes]) -> Callable[[Reply], Reply]:
    """Keep the answer and change the bytes of its body."""
    return lambda reply: Reply(reply.status, change(reply.body), reply.headers)
