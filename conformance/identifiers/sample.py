"""The identifiers of a run, the moment of their creation, and which of their bits should be random."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, product
from typing import Final
from uuid import UUID

from conformance.model.date_time import parse_date_time
from conformance.model.exchange import Exchange, Operation
from conformance.model.formats import is_uuid
from conformance.model.target import Budget

ENOUGH: Final = 64
"""Identifiers that a run requests. Each test states which defects it finds among this number."""

FEWEST: Final = 16
"""With fewer identifiers, the checks do not decide."""

FIXED: Final = 0xF << 76 | 0xF << 60
"""The digits of version and variant, which are not random."""

FREE: Final = (1 << 128) - 1 & ~FIXED
"""The 120 bits that should be random."""


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


def observed_ids(exchanges: Iterable[Exchange], label: str) -> list[tuple[ObservedId, Exchange]]:
    """Return the identifiers of a user's accepted creations with their exchanges, in the order of the requests."""
    found = []
    for exchange in exchanges:
        answer = exchange.response
        if exchange.operation is not Operation.CREATE or answer is None or not exchange.counts:
            continue
        if not 200 <= answer.status < 300 or exchange.request.credential != label:
            continue
        value = answer.document.value if isinstance(answer.document.value, dict) else {}
        given, written = value.get("requestId"), value.get("createdAt")
        if isinstance(given, str) and is_uuid(given):
            began, created_at = exchange.started.timestamp(), written if isinstance(written, str) else ""
            found.append((ObservedId(UUID(given), began, began + exchange.seconds, created_at), exchange))
    return sorted(found, key=lambda pair: (pair[0].began, pair[1].number))


@dataclass(frozen=True, slots=True)
class Part:
    """Some bytes of an identifier read as a number, without version and variant; `size` is the number of its values."""

    first: int
    last: int
    little: bool
    shift: int
    size: int

    @property
    def mask(self) -> int:
        """The bits of its bytes."""
        return (1 << 8 * (self.last - self.first + 1)) - 1 << 8 * (15 - self.last)

    def __str__(self) -> str:
        """Name the bytes, counted from 1."""
        if self.first == self.last:
            return f"byte {self.first + 1}"
        return f"bytes {self.first + 1} to {self.last + 1}" + (", read backwards," if self.little else "")


def _parts() -> Iterator[Part]:
    free_bits = [8, 8, 8, 8, 8, 8, 4, 8, 4, *[8] * 7]
    # The first of several parts with the same evidence is the one that the message names.
    for little, width in product((False, True), (4, 2, 3, 6, 8, 1, 16)):
        ends = [0, *accumulate(reversed(free_bits) if little else free_bits)]
        for start in range(17 - width) if width > 1 or not little else ():
            size = 1 << (ends[start + width] - ends[start])
            first = 16 - start - width if little else start
            yield Part(first, first + width - 1, little, ends[-1] - ends[start + width], size)


PARTS: Final = tuple(_parts())


@dataclass(frozen=True)
class Sample:
    """Identifiers in the order of their requests, and the bits that a test may judge."""

    ids: Sequence[ObservedId]
    mask: int = FREE
    is_in_time: bool = False
    """Whether a part rises or falls with time, by a counter or by a clock that is not known."""

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
        chain: list[ObservedId] = []
        for observed in sorted(self.ids, key=lambda observed: observed.ended):
            if not chain or observed.began >= chain[-1].ended:
                chain.append(observed)
        return chain

    @cached_property
    def ordered(self) -> list[int]:
        """The identifiers of `in_order` as numbers without repetitions."""
        return list(dict.fromkeys(observed.id.int for observed in self.in_order))

    @cached_property
    def positions(self) -> list[int]:
        """The bits to judge, counted from the most significant."""
        return [bit for bit in range(128) if self.mask >> (127 - bit) & 1]

    @cached_property
    def columns(self) -> list[int]:
        """For each of `positions` its bit in all of `values`, as one number."""
        if not self.values:
            return [0] * len(self.positions)
        turned = ["".join(bits) for bits in zip(*(f"{value:0128b}" for value in self.values), strict=True)]
        return [int(turned[bit], 2) for bit in self.positions]

    def parts(self, widths: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 16)) -> Iterator[tuple[Part, list[int]]]:
        """Yield each part of these widths in bytes that may be judged as a whole, with its values in certain order.

        For a random generator the values are independent, and each of `size` values is equally likely.
        """
        packed = {False: [_big(value) for value in self.ordered], True: [_little(value) for value in self.ordered]}
        for part in PARTS:
            if part.last - part.first + 1 in widths and not part.mask & FREE & ~self.mask:
                yield part, [value >> part.shift & part.size - 1 for value in packed[part.little]]

    def read(self, part: Part) -> list[int]:
        """Return a part of all `values`."""
        packed = map(_little if part.little else _big, self.values)
        return [value >> part.shift & part.size - 1 for value in packed]


def _big(value: int) -> int:
    return (value >> 80 << 12 | value >> 64 & 0xFFF) << 60 | value & (1 << 60) - 1


def _little(value: int) -> int:
    turned = int.from_bytes(value.to_bytes(16), "little")
    return ((turned >> 72 << 4 | turned >> 64 & 0xF) << 8 | turned >> 56 & 0xFF) << 52 | turned & (1 << 52) - 1
