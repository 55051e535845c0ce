"""The record of a run: its exchanges in the order of the calls, and the results that checks share."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, TypeVar

import httpx

from conformance.http.run_time import RunTime
from conformance.model.exchange import NO_INTENT, Exchange, Operation, Request, operation
from conformance.model.further_headers import mark_of
from conformance.trace.trace import answered

_T = TypeVar("_T")

_NOT_STARTED: Final = datetime.min.replace(tzinfo=UTC)

CLEAN_UP: Final = "clean-up"
"""The name, in place of a check, under which the end of a run deletes what is left, and what such calls are about."""


def is_clean_up(exchange: Exchange) -> bool:
    """Whether an exchange deletes what the run created; no budget prevents it."""
    return exchange.operation is Operation.DELETE and exchange.intent.request == CLEAN_UP


@dataclass(frozen=True, slots=True)
class _Here:
    """What holds for the exchanges of one thread, and of the threads that it starts."""

    check: str = ""
    chance: random.Random | None = None
    own: list[Exchange] | None = None
    """The exchanges of the scenario that runs here."""
    beside: str = ""


_here: ContextVar[_Here] = ContextVar("here", default=_Here())  # noqa: B039 - frozen


@contextmanager
def here(**changes: Any) -> Iterator[None]:
    """Change what holds for the exchanges of this thread."""
    before = _here.set(replace(_here.get(), **changes))
    try:
        yield
    finally:
        _here.reset(before)


class Record:
    """All exchanges of a run. Safe to use from several threads."""

    def __init__(self, base_url: httpx.URL, time: RunTime, *, withheld: Iterable[tuple[str, str]] = ()) -> None:
        """`withheld` are names and values of header fields whose values are secrets: no exchange has them."""
        self._withheld = {name.lower(): f"[{mark_of(name)}]" for name, _ in withheld}
        self._time = time
        self.exchanges: list[Exchange] = []
        self._base_path = base_url.raw_path.decode("ascii").rstrip("/")
        self._groups = 0
        self._ended = 0
        self.on_end: Callable[[Exchange], None] = lambda _: None
        """Called with each exchange that is over, one after another."""
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self.exchanges)

    def beside(self, calls: Sequence[Callable[[], _T]]) -> Sequence[Callable[[], _T]]:
        """Return calls that are made at the same time, as one group in the record."""
        if len(calls) < 2:
            return calls
        with self._lock:
            self._groups += 1
            group = self._groups

        def call(place: int) -> _T:
            with here(beside=f"g{group}#{place}"):
                return calls[place]()

        return [partial(call, place) for place in range(len(calls))]

    def opened(self, request: httpx.Request) -> Exchange:
        """Return the exchange of a request that is about to be sent; its extensions carry what the call means."""
        path, meant = self._path(request.url), request.extensions
        return Exchange(
            id="",
            check=self.check_here,
            operation=meant.get("operation") or operation(request.method, path),
            started=_NOT_STARTED,
            request=self._recorded(request),
            intent=meant.get("intent", NO_INTENT),
            path=path,
            beside=_here.get().beside,
            repeats=meant.get("repeats", ""),
            redirected_from=meant.get("redirected_from", ""),
        )

    def _recorded(self, request: httpx.Request) -> Request:
        fields = ((key.decode("latin-1"), value.decode("latin-1")) for key, value in request.headers.raw)
        return Request(
            method=request.method,
            url=str(request.url),
            headers=tuple((name, self._withheld.get(name.lower(), value)) for name, value in fields),
            body=request.read(),
            credential=request.extensions.get("credential", "no token"),
            pieces=request.extensions.get("pieces", 1),
        )

    def start(self, exchange: Exchange) -> None:
        """Add an exchange to the record, in the moment in which its request is sent."""
        with self._lock:
            # In this order an exchange never seems to end too early.
            exchange.seconds, exchange.started = -self._time.seconds(), self._time.now()
            self.exchanges.append(exchange)
            exchange.id = f"e{len(self.exchanges)}"
        if (own := _here.get().own) is not None:
            own.append(exchange)

    def end(self, exchange: Exchange, settle: Callable[[Exchange], None]) -> None:
        """Settle and number an exchange that is over, one after another."""
        with self._lock:
            try:
                settle(exchange)
            finally:
                self._ended += 1
                exchange.ended = self._ended
                self.on_end(exchange)

    @property
    def check_here(self) -> str:
        """The check to which the exchanges of this thread belong."""
        return _here.get().check

    @property
    def chance_here(self) -> random.Random | None:
        """This thread's own source of chance, if it has one."""
        return _here.get().chance

    def _path(self, url: httpx.URL) -> str:
        """Return the path of `url` below the base_url, still percent-encoded."""
        raw = url.raw_path.decode("ascii").partition("?")[0]
        return raw[len(self._base_path) :] if raw.startswith(self._base_path) else raw

    def in_order(self) -> list[Exchange]:
        """Return the exchanges in the order in which they began."""
        return list(self.exchanges)

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
