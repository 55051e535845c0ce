"""Silence: whether calls of one kind had no answer so often in a row that a run makes no more of them."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Final

from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import NOT_REACHED, ErrorKind, Exchange, Operation

GIVES_UP_AFTER: Final = 3
"""Unanswered calls of one operation in a row, with a valid token or without, after which a run makes no more."""


class Silence:
    """Counts calls without an answer. Safe to use from several threads."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[Operation | None, bool | None]] = Counter()
        self._lock = threading.Lock()
        self._has_answered = False

    def lasts(self, exchange: Exchange) -> bool:
        """Whether such calls had no answer too often."""
        return any(self._counts[kind] >= GIVES_UP_AFTER for kind in (_kind(exchange), (exchange.operation, None)))

    def may_end(self, error: ErrorKind) -> bool:
        """Whether a call did not reach a target that had answered before: it may be restarting."""
        return self._has_answered and error in NOT_REACHED

    def note(self, exchange: Exchange, error: ErrorKind) -> None:
        """Count a call without an answer."""
        if error in (*NOT_REACHED, ErrorKind.DEADLINE):
            with self._lock:
                self._counts[(exchange.operation, None) if error in NOT_REACHED else _kind(exchange)] += 1

    def ends(self, exchange: Exchange) -> None:
        """Begin anew after an answer, which also shows that calls of the other operations reach the target again."""
        self._has_answered = True
        with self._lock:
            for kind in self._counts:
                if kind[1] is None or kind == _kind(exchange):
                    self._counts[kind] = 0


def _kind(exchange: Exchange) -> tuple[Operation | None, bool | None]:
    return exchange.operation, exchange.request.credential in KNOWN_CREDENTIALS
