"""The record of a run: every exchange, in the order in which it was asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from operator import attrgetter
from typing import Any

import httpx

from conformance.model.clock import MACHINE, Clock
from conformance.model.exchange import Exchange, Operation, Request, had_expired, operation

_reserved: ContextVar[list[str] | None] = ContextVar("reserved", default=None)
_check: ContextVar[str | None] = ContextVar("check", default=None)
_beside: ContextVar[Sequence[str]] = ContextVar("beside", default=())
_facts: ContextVar[dict[str, Any] | None] = ContextVar("facts", default=None)
_opened: ContextVar[list[Exchange] | None] = ContextVar("opened", default=None)


class Record:
    """All exchanges of a run. Safe to use from several threads."""

    def __init__(self, base_url: httpx.URL, clock: Clock = MACHINE) -> None:
        self.clock = clock
        self.exchanges: list[Exchange] = []
        self.check = ""
        self._base_path = base_url.raw_path.decode("ascii").rstrip("/")
        self._numbers = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self.exchanges)

    def reserve(self, count: int) -> list[str]:
        """Return ids for exchanges that are about to start together, so that their order is the caller's.

        In a thread that has ids reserved they are the next of those.
        """
        own = _reserved.get()
        if own is not None and len(own) >= count:
            taken, own[:count] = own[:count], []
            return taken
        with self._lock:
            first = self._numbers + 1
            self._numbers += count
        return [f"e{number}" for number in range(first, first + count)]

    @contextmanager
    def numbered(self, ids: list[str], check: str, beside: Sequence[str]) -> Iterator[None]:
        """Give the next exchanges of this thread the reserved `ids`, one after another, in the name of `check`.

        `beside` names, from the outermost group to the innermost, their place among those under way at the same time.
        """
        before = _reserved.set(list(ids)), _check.set(check), _beside.set(beside)
        try:
            yield
        finally:
            _reserved.reset(before[0])
            _check.reset(before[1])
            _beside.reset(before[2])

    @contextmanager
    def in_the_name_of(self, check: str) -> Iterator[None]:
        """Attribute the exchanges of this thread to `check`."""
        before = _check.set(check)
        try:
            yield
        finally:
            _check.reset(before)

    @contextmanager
    def under(self, *, facts: dict[str, Any] | None = None) -> Iterator[list[Exchange]]:
        """Give the exchanges of this thread facts that a judge needs later; yield those opened."""
        opened: list[Exchange] = []
        before = _facts.set(facts), _opened.set(opened)
        try:
            yield opened
        finally:
            _facts.reset(before[0])
            _opened.reset(before[1])

    def open(self, request: httpx.Request, body: bytes, credential: str) -> Exchange:
        """Start an exchange; it is part of the record from now on, whatever comes of it."""
        path = self.path(request.url)
        facts = _facts.get() or {}
        beside = " ".join(_beside.get())
        # In this order no exchange seems to end before it does, whatever passes in between.
        seconds, started = -self.clock.seconds(), self.clock.now()
        exchange = Exchange(
            id=self.reserve(1)[0],
            check=self.check_here,
            operation=facts.get("operation") or operation(request.method, path),
            started=started,
            request=Request(
                method=request.method,
                url=str(request.url),
                headers=tuple((key.decode("latin-1"), value.decode("latin-1")) for key, value in request.headers.raw),
                body=body,
                credential=credential,
            ),
            facts={"path": path, **({"beside": beside} if beside else {}), **facts},
            seconds=seconds,
        )
        with self._lock:
            self.exchanges.append(exchange)
        opened = _opened.get()
        if opened is not None:
            opened.append(exchange)
        return exchange

    @property
    def check_here(self) -> str:
        """The check to which the exchanges of this thread belong."""
        return _check.get() or self.check

    @property
    def beside_here(self) -> Sequence[str]:
        """The place of this thread among those under way at the same time, group by group."""
        return _beside.get()

    def path(self, url: httpx.URL) -> str:
        """Return the path of `url` below the base_url, still percent-encoded."""
        raw = url.raw_path.decode("ascii").partition("?")[0]
        return raw[len(self._base_path) :] if raw.startswith(self._base_path) else raw

    def in_order(self) -> list[Exchange]:
        """Return the exchanges by their numbers, so that calls made together have the caller's order."""
        return sorted(self.exchanges, key=attrgetter("number"))

    def answered(self, operation: Operation, *statuses: int) -> list[Exchange]:
        """Return the exchanges of one operation that were answered with one of `statuses` (any, without statuses).

        What was asked with a token that had expired is answered where it was asked again.
        """
        return [
            exchange
            for exchange in self.in_order()
            if exchange.operation is operation
            and exchange.response is not None
            and exchange.error is None
            and not had_expired(exchange)
            and (not statuses or exchange.response.status in statuses)
        ]
