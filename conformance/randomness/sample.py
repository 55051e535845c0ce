"""What is judged: the identifiers that a run saw, when each was drawn, and which of their bits should be random."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final
from uuid import UUID

from conformance.model.exchange import Exchange, Operation
from conformance.model.formats import is_uuid, parse_date_time
from conformance.model.target import Budget

ENOUGH: Final = 64
"""Identifiers that a run looks for: what each test finds among so many is stated beside it."""

FEWEST: Final = 16
"""With fewer identifiers a pass would say little, so there is none."""

FIXED: Final = 0xF << 76 | 0xF << 60
"""The digits of version and variant: no randomness is expected there."""

FREE: Final = (1 << 128) - 1 & ~FIXED
"""The 120 bits that should be random."""


def enough(budget: Budget) -> int:
    """Return how many identifiers a run with this budget looks for."""
    return ENOUGH * budget.times


@dataclass(frozen=True, slots=True)
class Drawn:
    """One identifier, drawn at some moment from `began` to `ended` (seconds since 1970 by the suite's clock)."""

    id: UUID
    began: float
    ended: float
    created_at: str = ""
    """createdAt as the target wrote it."""

    @property
    def moment(self) -> float:
        """When it was drawn, by the target's clock where that can be read, in seconds since 1970."""
        try:
            return parse_date_time(self.created_at).timestamp()
        except ValueError:
            return self.began


def drawn_for(exchanges: Iterable[Exchange], label: str) -> list[tuple[Drawn, Exchange]]:
    """Return the identifiers that a user's creations gave, in the order in which they were asked for."""
    found = []
    for exchange in exchanges:
        answer = exchange.response
        if exchange.operation is not Operation.CREATE or answer is None or exchange.error is not None:
            continue
        if not 200 <= answer.status < 300 or exchange.request.credential != label:
            continue
        value = answer.document.value
        given = value.get("requestId") if isinstance(value, dict) else None
        if isinstance(given, str) and is_uuid(given):
            began = exchange.started.timestamp()
            written = value.get("createdAt")
            drawn = Drawn(UUID(given), began, began + exchange.seconds, written if isinstance(written, str) else "")
            found.append((drawn, exchange))
    return sorted(found, key=lambda pair: (pair[0].began, int(pair[1].id[1:])))


@dataclass(frozen=True)
class Sample:
    """Identifiers by the moment at which they were asked for, and the bits that a test may speak of."""

    drawn: Sequence[Drawn]
    mask: int = FREE

    def within(self, mask: int) -> Sample:
        """Return the same identifiers, of which only the bits of `mask` are to be judged."""
        return replace(self, mask=self.mask & mask)

    @cached_property
    def values(self) -> list[int]:
        """The identifiers as numbers, each once: one that is given again is a fault of its own."""
        return list(dict.fromkeys(each.id.int for each in self.drawn))

    @cached_property
    def in_order(self) -> list[Drawn]:
        """As many as have a certain order among themselves: of those drawn at the same time, the first to come."""
        chain: list[Drawn] = []
        for each in sorted(self.drawn, key=lambda drawn: drawn.ended):
            if not chain or each.began >= chain[-1].ended:
                chain.append(each)
        return chain

    @cached_property
    def ordered(self) -> list[int]:
        """The numbers whose order is certain, in that order, each once."""
        return list(dict.fromkeys(each.id.int for each in self.in_order))

    @cached_property
    def positions(self) -> list[int]:
        """The bits to judge, counted from the most significant."""
        return [bit for bit in range(128) if self.mask >> (127 - bit) & 1]

    @cached_property
    def columns(self) -> list[int]:
        """For each of `positions` its bit in all of `values`, as one number."""
        return columns(self.values, self.positions)


def columns(values: Sequence[int], positions: Sequence[int]) -> list[int]:
    """Return for each position its bits in all values, as one number whose first bit is that of the first value."""
    if not values:
        return [0] * len(positions)
    turned = ["".join(bits) for bits in zip(*(f"{value:0128b}" for value in values), strict=True)]
    return [int(turned[bit], 2) for bit in positions]
