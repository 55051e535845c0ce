"""Parts of an identifier, read as numbers in either byte order, without the bits of version and variant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, product
from typing import Final

from conformance.randomness.sample import Sample

_SIZES: Final = [8, 8, 8, 8, 8, 8, 4, 8, 4, *[8] * 7]
"""Free bits of each byte."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some bytes of an identifier in one byte order; `size` is how many values they can have."""

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
        """Name the bytes, counted from 1 as a person counts them."""
        if self.first == self.last:
            return f"byte {self.first + 1}"
        order = ", read backwards," if self.little else ""
        return f"bytes {self.first + 1} to {self.last + 1}{order}"


def _parts() -> Iterator[Part]:
    # In the order in which a part is named, where several tell the same.
    for little, width in product((False, True), (4, 2, 3, 6, 8, 1, 16)):
        ends = [0, *accumulate(reversed(_SIZES) if little else _SIZES)]
        for start in range(17 - width) if width > 1 or not little else ():
            size = 1 << (ends[start + width] - ends[start])
            first = 16 - start - width if little else start
            yield Part(first, first + width - 1, little, ends[-1] - ends[start + width], size)


PARTS: Final = tuple(_parts())


def _big(value: int) -> int:
    return (value >> 80 << 12 | value >> 64 & 0xFFF) << 60 | value & (1 << 60) - 1


def _little(value: int) -> int:
    turned = int.from_bytes(value.to_bytes(16), "little")
    return ((turned >> 72 << 4 | turned >> 64 & 0xF) << 8 | turned >> 56 & 0xFF) << 52 | turned & (1 << 52) - 1


def parts(sample: Sample, widths: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 16)) -> Iterator[tuple[Part, list[int]]]:
    """Yield each part of these widths in bytes that is to be judged as a whole, with its values in certain order.

    For a random generator the values are independent, and each of `size` values is equally likely.
    """
    packed = {False: [_big(value) for value in sample.ordered], True: [_little(value) for value in sample.ordered]}
    hidden = Sample(()).mask & ~sample.mask
    for part in PARTS:
        if part.last - part.first + 1 in widths and not part.mask & hidden:
            yield part, [value >> part.shift & part.size - 1 for value in packed[part.little]]
