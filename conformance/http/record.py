"""The record of a run: its exchanges in the order of the calls, and the results that checks share."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Final

import httpx

from conformance.http.clock import Clock
from conformance.model.exchange import NO_INTENT, Exchange, Operation, Request, are_beside, operation
from conformance.model.further_headers import mark_of
from conformance.trace.trace import answered

CLEAN_UP: Final = "clean-up"
"""The name, in place of a check, under which the end of a run deletes what is left, and what such calls are about."""


def is_clean_up(exchange: Exchange) -> bool:
    """Whether an exchange deletes what the run created; no budget prevents it."""
    return exchange.operation is Operation.DELETE and exchange.intent.request == CLEAN_UP


def _recorded(request: httpx.Request, body: bytes, credential: str, withheld: Mapping[str, str]) -> Request:
    fields = ((key.decode("latin-1"), value.decode("latin-1")) for key, value in request.headers.raw)
    return Request(
        method=request.method,
        url=str(request.url),
        headers=tuple((name, withheld.get(name.lower(), value)) for name, value in fields),
        body=body,
        credential=credential,
        pieces=request.extensions.get("pieces", 1),
    )


@dataclass(frozen=True, slots=True)
class _Thread:
    """State of the exchanges of one thread, and of the threads that it starts."""

    check: str = ""
    chance: random.Random | None = None
    ids: list[str] | None = None
    """Ids that are reserved for the next exchanges; they are taken from the front."""
    beside: tuple[str, ...] = ()
    own: tuple[list[Exchange], ...] = ()
    """The exchanges of this thread since the calls beside it began; of groups inside each other, the innermost last."""


_thread: ContextVar[_Thread] = ContextVar("thread", default=_Thread())  # noqa: B039 - frozen


class Record:
    """All exchanges of a run. Safe to use from several threads."""

    def __init__(self, base_url: httpx.URL, clock: Clock, *, withheld: Iterable[tuple[str, str]] = ()) -> None:
        """`withheld` are names and values of header fields whose values are secrets: no exchange has them."""
        self._withheld = {name.lower(): f"[{mark_of(name)}]" for name, _ in withheld}
        self.clock = clock
        self.exchanges: list[Exchange] = []
        self.check = ""
        self._base_path = base_url.raw_path.decode("ascii").rstrip("/")
        self._numbers = 0
        self._ended = 0
        self.on_end: Callable[[Exchange], None] = lambda _: None
        """Called with each exchange that is over, one after another."""
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self.exchanges)

    def reserve(self, count: int) -> list[str]:
        """Return ids for exchanges, from those reserved for this thread if there are enough."""
        own = _thread.get().ids
        if own is not None and len(own) >= count:
            taken, own[:count] = own[:count], []
            return taken
        with self._lock:
            first = self._numbers + 1
            self._numbers += count
        return [f"e{number}" for number in range(first, first + count)]

    @contextmanager
    def numbered(self, ids: list[str], place: str = "") -> Iterator[None]:
        """Give the reserved `ids` to the next exchanges of this thread, one after another.

        `place` names a group of parallel calls, and the place of this thread in it.
        """
        here = _thread.get()
        inside = replace(here, ids=list(ids))
        if place:
            inside = replace(inside, beside=(*here.beside, place), own=(*here.own, []))
        before = _thread.set(inside)
        try:
            yield
        finally:
            _thread.reset(before)

    @contextmanager
    def attributed_to(self, check: str, chance: random.Random) -> Iterator[None]:
        """Attribute the exchanges of this thread to `check`; it draws from `chance`."""
        before = _thread.set(replace(_thread.get(), check=check, chance=chance))
        try:
            yield
        finally:
            _thread.reset(before)

    def open(self, request: httpx.Request, body: bytes, credential: str) -> Exchange:
        """Add an exchange to the record; the extensions of `request` carry its intent and collect its exchanges."""
        path = self.path(request.url)
        beside = " ".join(_thread.get().beside)
        # In this order an exchange never seems to end too early.
        seconds, started = -self.clock.seconds(), self.clock.now()
        exchange = Exchange(
            id=self.reserve(1)[0],
            check=self.check_here,
            operation=request.extensions.get("operation") or operation(request.method, path),
            started=started,
            request=_recorded(request, body, credential, self._withheld),
            intent=request.extensions.get("intent", NO_INTENT),
            path=path,
            beside=beside,
            repeats=request.extensions.pop("repeats", ""),
            redirected_from=request.extensions.get("redirected_from", ""),
            seconds=seconds,
        )
        with self._lock:
            self.exchanges.append(exchange)
        for own in _thread.get().own:
            own.append(exchange)
        request.extensions.setdefault("exchanges", []).append(exchange)
        return exchange

    @property
    def check_here(self) -> str:
        """The check to which the exchanges of this thread belong."""
        return _thread.get().check or self.check

    @property
    def chance_here(self) -> random.Random | None:
        """This thread's own source of chance, if it has one."""
        return _thread.get().chance

    def path(self, url: httpx.URL) -> str:
        """Return the path of `url` below the base_url, still percent-encoded."""
        raw = url.raw_path.decode("ascii").partition("?")[0]
        return raw[len(self._base_path) :] if raw.startswith(self._base_path) else raw

    def end(self, exchange: Exchange, settle: Callable[[Exchange], None] = lambda _: None) -> None:
        """Settle and number an exchange that is over, one after another."""
        with self._lock:
            try:
                settle(exchange)
            finally:
                self._ended += 1
                exchange.ended = self._ended
                self.on_end(exchange)

    def in_order(self) -> list[Exchange]:
        """Return the exchanges by their numbers, so that parallel calls have the caller's order."""
        return sorted(self.exchanges, key=attrgetter("number"))

    def before_here(self) -> list[Exchange]:
        """Return, in their order, the exchanges that were over before the calls beside this thread began, and its own.

        What a call is made of must not depend on the calls that happen to be faster.
        """
        here = _thread.get().beside
        return [each for each in self.in_order() if not are_beside(each.beside.split(), here)]

    def own_here(self) -> list[Exchange]:
        """Return the exchanges of this thread since the calls beside it began; all, where none are beside it."""
        own = _thread.get().own
        return own[-1] if own else self.exchanges

    def answered(self, operation: Operation, *statuses: int) -> list[Exchange]:
        """Return the exchanges of one operation with one of `statuses`, as the function of this name does."""
        return answered(self.in_order(), operation, *statuses)


@dataclass
class SharedResults:
    """Results of a run that every check and scenario may read."""

    settings: dict[str, Any] | None = None
    """The document of GET /settings."""
    data_types: list[Any] | None = None
    """The document of GET /data."""
    types: list[str] | None = None
    """The identifiers of the available data types, without repetition."""
    every_type: frozenset[str] | None = None
    """Every identifier that the service listed during the run, because earlier creations used earlier lists."""
    behind_token: set[str] = field(default_factory=set)
    """The paths of the public operations that require a token."""
    selected_language: dict[str, Any] = field(default_factory=dict)
    """Arguments of GET /data, if the service answers only with a language."""
    data_me: Exchange | None = None
    """An answer to GET /data/me with the token of the user."""
    early_creation: Exchange | None = None
    """The creation of the early request, which exists until the end of the run."""
    selector_is_unknown: bool = False
    """Whether the service publishes several languages, and no selector that the run tried has an effect."""
    selector_denied: str = ""
    """The language selector that has an effect, if the tester confirmed that there is none."""
    scenarios: dict[object, Future[Any]] = field(default_factory=dict)
    """The result or exception of each scenario."""
    on_end: Callable[[Any], None] = lambda _: None
    """Called with each scenario that has a result or an exception."""
