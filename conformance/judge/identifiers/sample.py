"""The identifiers of a run, the moment of their creation, and which of their bits should be random."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, product
from typing import Final
from uuid import UUID

from conformance.model.exchange import EARLIER, Exchange, Operation
from conformance.model.formats import is_uuid, parse_date_time
from conformance.model.target import Budget

ENOUGH: Final = 64
"""Identifiers that a run requests. Each test states which defects it finds among this number."""

FEWEST: Final = 16
"""With fewer identifiers, the checks do not decide."""

FIXED: Final = 0xF << 76 | 0xF << 60
"""The digits of version and variant, which are not random."""

FREE: Final = (1 << 128) - 1 & ~FIXED
"""The 120 bits that should be random."""

_BYTES: Final = tuple(tuple(place for place in (2 * byte, 2 * byte + 1) if place not in (12, 16)) for byte in range(16))
"""The hexadecimal digits of each byte, without those of version and variant."""

_FORWARDS_AND_BACKWARDS: Final = (_BYTES, _BYTES[::-1])

ORDERS: Final = tuple(tuple(chain.from_iterable(order)) for order in _FORWARDS_AND_BACKWARDS)
"""The orders in which the digits of an identifier are read."""

_PARTS: Final = tuple(
    tuple(chain.from_iterable(order[start : start + width]))
    for order, width in product(_FORWARDS_AND_BACKWARDS, (4, 2, 3, 1))
    for start in range(17 - width)
)
"""The digits of numbers of up to four bytes."""


def enough(budget: Budget) -> int:
    """Return the number of identifiers that a run with this budget requests."""
    return ENOUGH * budget.times


@dataclass(frozen=True, slots=True)
class ObservedId:
    """One identifier, created between `began` and `ended` by the suite's clock; `created_at` is as received."""

    id: UUID
    began: float
    ended: float
    created_at: str = ""

    @property
    def moment(self) -> float:
        """When the service created it: by createdAt where that is readable, otherwise `began`."""
        try:
            return parse_date_time(self.created_at).timestamp()
        except ValueError:
            return self.began


@dataclass(frozen=True, slots=True)
class Clue:
    """Identifiers that known data tells, or that tell others, with how in words, such as "the md5 of the name"."""

    ids: tuple[ObservedId, ...]
    how: str


def observed_ids(exchanges: Iterable[Exchange], label: str) -> list[tuple[ObservedId, Exchange]]:
    """Return the identifiers of a user's accepted creations with their exchanges, in the order of the requests."""
    found = []
    for exchange in exchanges:
        answer = exchange.response
        is_own = exchange.operation is Operation.CREATE and exchange.check != EARLIER
        if not is_own or answer is None or not exchange.counts:
            continue
        if not 200 <= answer.status < 300 or exchange.request.credential != label:
            continue
        value = answer.document.value if isinstance(answer.document.value, dict) else {}
        given, written = value.get("requestId"), value.get("createdAt")
        if isinstance(given, str) and is_uuid(given):
            began, created_at = exchange.started.timestamp(), written if isinstance(written, str) else ""
            found.append((ObservedId(UUID(given), began, began + exchange.seconds, created_at), exchange))
    return sorted(found, key=lambda pair: (pair[0].began, pair[1].number))


def digits_at(places: Sequence[int], ids: Iterable[ObservedId]) -> list[str]:
    """Return what each identifier has in these places of its 32 hexadecimal digits."""
    return ["".join([digits[place] for place in places]) for digits in (observed.id.hex for observed in ids)]


@dataclass(frozen=True)
class Sample:
    """Identifiers in the order of their requests, and the bits that a test may judge."""

    ids: Sequence[ObservedId]
    mask: int = FREE

    def within(self, mask: int) -> Sample:
        """Return the same identifiers with only the bits of `mask` to judge."""
        return replace(self, mask=self.mask & mask)

    @cached_property
    def values(self) -> list[int]:
        """The identifiers as numbers without repetitions, which another requirement judges."""
        return list(dict.fromkeys(observed.id.int for observed in self.ids))

    @cached_property
    def in_order(self) -> list[ObservedId]:
        """The identifiers whose order is certain: of those that were created in parallel, the first to arrive."""
        chain: dict[UUID, ObservedId] = {}
        ended = 0.0
        for observed in sorted(self.ids, key=lambda observed: observed.ended):
            if observed.began >= ended:
                chain.setdefault(observed.id, observed)
                ended = observed.ended
        return list(chain.values())

    @cached_property
    def positions(self) -> list[int]:
        """The bits to judge, counted from the most significant."""
        return [bit for bit in range(128) if self.mask >> (127 - bit) & 1]

    def parts(self) -> list[tuple[int, ...]]:
        """Return the places of the digits that may be a number, and may be judged."""
        return [part for part in _PARTS if not sum(15 << 4 * (31 - place) for place in part) & ~self.mask]
