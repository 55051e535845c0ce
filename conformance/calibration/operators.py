"""Building blocks of faults that differ in data only: what changes, where it changes, and when.

A change takes a document and returns what is sent in its place; it may alter the document it is given.
"""

from __future__ import annotations

import hashlib
import json
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from inspect import isawaitable, iscoroutinefunction
from typing import Any, Final

from conformance.reference.call import TEXT, Action, Call, ErrorCondition, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service

Bits = Callable[[int], int]
"""A source of random numbers of some bits."""
Change = Callable[[Any], Any]
When = Callable[[int], bool]
"""Decides from the number of an answer, counted from 0 for each operation or condition, whether to change it."""


Among = Callable[[Call], object]
"""Decides from a call whether its answer is changed, and counted."""


def always(_: object) -> bool:
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
    return lambda document: {name: value for name, value in document.items() if name not in names}


def put(**values: Any) -> Change:
    """Set the fields, whether or not they are there."""
    return lambda document: document | values


def named(naming: Callable[[str], str]) -> Change:
    """Give each field another name."""
    return lambda document: {naming(name): value for name, value in document.items()}


def mapped(name: str, function: Callable[[Any], Any]) -> Change:
    """Replace the value of a field by the result of `function`; an absent field stays absent."""
    return lambda document: document | {name: function(document[name])} if name in document else document


# ---------------------------------------------------------------------- where and when it changes


def on_settings(change: Change, when: When = always) -> type[Service]:
    """Change the settings."""
    return _changed("settings", change, when)


def on_data_list(change: Change, when: When = always) -> type[Service]:
    """Change the data type list as a whole."""
    return _changed("data", change, when)


def on_data_types(change: Change, when: When = always) -> type[Service]:
    """Change every data type of the list."""
    return _changed("data", lambda listing: [change(each) for each in listing], when)


def on_data_me(change: Change) -> type[Service]:
    """Change the document of GET /data/me."""
    return _changed("data_me", change, always)


def on_request(change: Change, *operations: Action, when: When = always) -> type[Service]:
    """Change the data request object of the operations; without operations, of all of them."""
    return _changed("document", change, when, lambda _result, _request, call: call.operation, operations)


def on_error(change: Change, *conditions: ErrorCondition, when: When = always, among: Among = always) -> type[Service]:
    """Change the error object of the conditions; without conditions, every error object."""
    return _changed("error", change, when, lambda _result, condition, _call: condition, conditions, among)


def on_success(
    change: Callable[[Reply], Reply], *operations: Action, when: When = always, among: Among = always
) -> type[Service]:
    """Change the whole answer of the operations if it is a success."""
    every = operations or tuple(Action)

    def succeeded(_result: Reply, reply: Reply, call: Call) -> Hashable:
        return call.operation if reply.status == 200 else ""

    return _changed("finish", change, when, succeeded, every, among)


def on_refusal(change: Callable[[Reply], Reply], *conditions: ErrorCondition) -> type[Service]:
    """Change the whole answer of the conditions; without conditions, every refusal."""
    every = conditions or tuple(ErrorCondition)
    return _changed("finish", change, always, lambda _reply, _, call: call.condition, every)


def answering(answer: Callable[..., Any], method: str = "shortcut", base: type[Service] = Service) -> type[Service]:
    """Return the service that gives way to `answer` in a method; it gets the service and the arguments.

    Where `answer` returns None, the method of `base` goes on.
    """

    def at_once(self: Service, *arguments: Any) -> Any:
        early = answer(self, *arguments)
        return getattr(super(kind, self), method)(*arguments) if early is None else early

    async def awaited(self: Service, *arguments: Any) -> Any:
        early = await _end_of(answer(self, *arguments))
        return await getattr(super(kind, self), method)(*arguments) if early is None else early

    kind = _overriding(method, at_once, awaited, base)
    return kind


def changing(method: str, change: Callable[..., Any], base: type[Service] = Service) -> type[Service]:
    """Return a service that changes the result of a method; `change` gets the service, the result and the arguments."""

    def at_once(self: Service, *arguments: Any) -> Any:
        return change(self, getattr(super(kind, self), method)(*arguments), *arguments)

    async def awaited(self: Service, *arguments: Any) -> Any:
        result = await getattr(super(kind, self), method)(*arguments)
        return await _end_of(change(self, result, *arguments))

    kind = _overriding(method, at_once, awaited, base)
    return kind


def _overriding(
    method: str, at_once: Callable[..., Any], awaited: Callable[..., Any], base: type[Service]
) -> type[Service]:
    is_async = iscoroutinefunction(getattr(base, method))
    return type("Changed", (base,), {method: awaited if is_async else at_once})


async def _end_of(result: Any) -> Any:
    """Return a result, which a function that may wait returns later."""
    return await result if isawaitable(result) else result


def together(*services: type[Service]) -> type[Service]:
    """Return the service with the changes of several; the first one changes an answer last."""
    kinds = [each for each in dict.fromkeys(services) if each is not Service]
    return type("Together", (*kinds, Service), {})


def _changed(
    method: str,
    change: Change,
    when: When,
    subject: Callable[..., Hashable] = lambda *_: "",
    subjects: tuple[Hashable, ...] = (),
    among: Among = always,
) -> type[Service]:
    """Return a service that changes the result of a method of Service.

    `subject` returns the operation or condition from the result and the arguments. Only those in `subjects` are
    changed, or all if it is empty, and `among` them those of some calls; `when` counts these for each subject.
    """

    key = object()

    def changed(service: Service, result: Any, *arguments: Any) -> Any:
        about = subject(result, *arguments)
        if (subjects and about not in subjects) or not among(arguments[-1]):
            return result
        return change(result) if when(service.turn((key, about))) else result

    return changing(method, changed)


def with_a_contract() -> type[Service]:
    """Return the service whose settings show the second user a limit of 1, and others that of the organisation."""

    def change(service: Service, settings: Any, call: Call) -> Any:
        is_second = service.authenticate(call) == service.config.users[1]
        return settings | ({"maxNumberOfRequests": 1} if is_second else {})

    return changing("settings", change)


def stamped(keep: Callable[[datetime], datetime]) -> type[Service]:
    """Return the service that keeps the result of `keep` as the moment of a creation."""
    return changing("new_request", lambda _service, made, *_: replace(made, created_at=keep(made.created_at)))


# ---------------------------------------------------------------------- whole answers


def status(code: int) -> Callable[[Reply], Reply]:
    """Keep the answer and change its status; drop the body if the status allows none."""
    return lambda reply: Reply(code) if code == 204 else Reply(code, reply.body, reply.headers)


def beside(code: int) -> tuple[str, ...]:
    """Return the consequences of an answer with this status."""
    return ("0-bodies-are-json", "2.4-*") if 400 <= code < 500 else ()


def label(media_type: str) -> Callable[[Reply], Reply]:
    """Keep the answer and change its Content-Type."""
    return lambda reply: Reply(reply.status, reply.body, reply.headers | {"content-type": media_type})


def text(body: str | bytes, media_type: str = "text/plain; charset=utf-8") -> Callable[[Reply], Reply]:
    """Keep the status and replace the body."""
    content = body.encode() if isinstance(body, str) else body
    return lambda reply: Reply(reply.status, content, reply.headers | {"content-type": media_type})


def body(change: Callable[[bytes], bytes]) -> Callable[[Reply], Reply]:
    """Keep the answer and change the bytes of its body."""
    return lambda reply: Reply(reply.status, change(reply.body), reply.headers)


def problem(code: int, error: str, message: str) -> Reply:
    """Return an error object with a status of its own."""
    return Reply.json({"error": error, "message": message}, code)


def crash(message: str) -> Reply:
    """Return the error object of an exception that the service does not handle."""
    return problem(500, "Internal Server Error", message)


def page(code: int, content: str) -> Reply:
    """Return a page of HTML."""
    return Reply(code, content.encode(), {"content-type": "text/html"})


def again(reply: Reply) -> Reply:
    """Return the same answer, for another call."""
    return replace(reply, headers={**reply.headers})


def confirmed() -> Reply:
    """Return the answer to a deletion."""
    return Reply(200, b"OK", {"content-type": TEXT})


# ---------------------------------------------------------------------- the types of a body


def lenient(taken_for: Callable[[str, list[str]], list[str]]) -> type[Service]:
    """Return the service that replaces each string of a body by the result of `taken_for`, given the known types."""

    def rewrite(service: Service, call: Call) -> None:
        with suppress(ValueError, RecursionError):
            wanted = json.loads(call.body)
            if isinstance(wanted, list):
                known = [each.type for each in service.types]
                found = (taken_for(each, known) if isinstance(each, str) else [each] for each in wanted)
                call.body = json.dumps([name for names in found for name in names]).encode()

    return answering(rewrite, "wanted_types")


# ---------------------------------------------------------------------- simultaneous calls


class Busy(Service):
    """A service that tracks the calls in progress."""

    def __init__(self, config: ReferenceConfig) -> None:
        """Begin without any call."""
        super().__init__(config)
        self._under_way: Counter[str] = Counter()
        self.guard = threading.Lock()

    @contextmanager
    def under_way(self, what: str) -> Iterator[int]:
        """Yield how many other calls do `what`."""
        with self.guard:
            others = self._under_way[what]
            self._under_way[what] += 1
        try:
            yield others
        finally:
            with self.guard:
                self._under_way[what] -= 1

    def at(self, what: str) -> int:
        """Return how many calls do `what`."""
        return self._under_way[what]


# ---------------------------------------------------------------------- identifiers


def uuid_in(text: str) -> uuid.UUID | None:
    """Return the UUID that a text is, in any of its forms, or None."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def identified(make: Callable[[Service, Call], object]) -> type[Service]:
    """Give each request the identifier that `make` returns."""
    return answering(lambda service, call: str(make(service, call)), "new_id")


def redrawn(change: Callable[[str, Service], object]) -> type[Service]:
    """Change the identifiers that the reference draws."""
    return identified(lambda service, call: change(Service.new_id(service, call), service))


def of_number(make: Callable[[Service, Bits], int], version: int | None = None) -> type[Service]:
    """Make the identifiers of the number that `make` returns, given the service and a source of random bits."""
    return identified(lambda service, _call: uuid.UUID(int=make(service, service._random.getrandbits), version=version))


def drawn_from(numbers: Callable[[], Iterator[int]], write: Callable[[Iterator[int]], object]) -> type[Service]:
    """Write the identifiers of the numbers that a generator draws for the service."""
    return identified(lambda service, _call: write(service.kept.setdefault(numbers, numbers())))


def of_user(derive: Callable[[User, int], object]) -> type[Service]:
    """Derive the identifiers from the user and the number of the user's request, counted from 0."""

    def make(service: Service, call: Call) -> object:
        assert call.user
        return derive(call.user, service.turn(call.user.name))

    return identified(make)


def with_accounts(account: Callable[[int], object], write: Callable[[str, int], str]) -> type[Service]:
    """Show the `account` of each user, counted from 0; `write` the identifiers from a random one and this count."""

    class Changed(Service):
        def count(self, call: Call) -> int:
            return [user.name for user in self.config.users].index(call.owner)

        def new_id(self, call: Call) -> str:
            return write(super().new_id(call), self.count(call))

        def data_me(self, call: Call) -> Any:
            return super().data_me(call) | {"account": account(self.count(call))}

    return Changed


def hashed(algorithm: str, data: str | bytes, version: int | None = None) -> uuid.UUID:
    """Return the first half of a digest as an identifier."""
    content = data.encode() if isinstance(data, str) else data
    return uuid.UUID(bytes=hashlib.new(algorithm, content, usedforsecurity=False).digest()[:16], version=version)


_UNTIL_1970: Final = int((datetime(1970, 1, 1, tzinfo=UTC) - datetime(1582, 10, 15, tzinfo=UTC)).total_seconds())


def version_1(service: Service, node: int, clock_seq: int) -> str:
    """Return an identifier of version 1: 100 nanoseconds since 1582, a sequence of 14 bits and a node of 48."""
    ticks = service.clock.nanoseconds() // 100 + _UNTIL_1970 * 10_000_000
    low, mid, high = ticks & 0xFFFFFFFF, ticks >> 32 & 0xFFFF, ticks >> 48 & 0xFFF
    return str(uuid.UUID(fields=(low, mid, high, clock_seq >> 8, clock_seq & 0xFF, node), version=1))
